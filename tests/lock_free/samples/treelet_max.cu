// argmax per group: packed CAS for (float, index), then a max segment tree climbed while it changes
//
// nothing: _Z3segP2FIPiiPKfPKii
#include <cuda/atomic>
struct alignas(8) FI { float v; int i; };
__device__ void argmax(FI *at, float v, int i) {
    cuda::atomic_ref<FI, cuda::thread_scope_device> r(*at);
    FI cur = r.load(cuda::memory_order_relaxed);
    while (cur.v < v || (cur.v == v && i < cur.i))
        if (r.compare_exchange_weak(cur, FI{v, i}, cuda::memory_order_relaxed)) break;
}
__global__ void seg(FI *best, int *tree, int leaves, const float *x, const int *grp, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        argmax(best + grp[i], x[i], i);
        int key = __float_as_int(fmaxf(x[i], 0.f));
        for (int node = leaves + grp[i]; node >= 1; node >>= 1)
            if (atomicMax(&tree[node], key) >= key) break;
    }
}
