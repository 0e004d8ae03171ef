// Max register of 64-bit (time, payload) by CAS, read-modify with fields, and with atomic_ref.
#include <cuda/atomic>
typedef unsigned long long u64;
struct Best { float cost; unsigned id; };
__device__ void offer(u64 *best, Best mine) {
    u64 packed = (u64)__float_as_uint(mine.cost) << 32 | mine.id;
    u64 now = *best;
    while (__uint_as_float((unsigned)(now >> 32)) > mine.cost) {
        u64 seen = atomicCAS(best, now, packed);
        if (seen == now) break;
        now = seen;
    }
}
__device__ void offer_ref(int *reg, int value) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*reg);
    int now = r.load(cuda::memory_order_relaxed);
    while (now < value && !r.compare_exchange_weak(now, value, cuda::memory_order_release, cuda::memory_order_relaxed)) {}
}
// nothing: k
extern "C" __global__ void k(u64 *best, int *reg, const float *cost, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        offer(best, {cost[i], (unsigned)i});
        offer_ref(reg, (int)cost[i]);
    }
}
