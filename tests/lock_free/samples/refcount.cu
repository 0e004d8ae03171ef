// shared_ptr counts: weak_ptr::lock, and slots swapped by exchange
//
// nothing: _Z3useP3CtlPKiPiS3_i
#include <cuda/atomic>
struct Ctl { cuda::atomic<int, cuda::thread_scope_device> strong, weak; int payload; };
__device__ bool lock(Ctl &c) {
    int s = c.strong.load(cuda::memory_order_relaxed);
    while (s != 0)
        if (c.strong.compare_exchange_weak(s, s + 1, cuda::memory_order_acq_rel, cuda::memory_order_relaxed)) return true;
    return false;
}
__device__ void release(Ctl &c, int *freed) {
    if (c.strong.fetch_sub(1, cuda::memory_order_acq_rel) == 1) {
        c.payload = 0;
        if (c.weak.fetch_sub(1, cuda::memory_order_acq_rel) == 1) atomicAdd(freed, 1);
    }
}
__global__ void use(Ctl *objs, const int *which, int *sum, int *freed, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        Ctl &c = objs[which[i]];
        if (lock(c)) { atomicAdd(sum, c.payload); release(c, freed); }
    }
}
