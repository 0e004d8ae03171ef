// Reference counts: increment if not zero, decrement with release of the object to a free list (weak_ptr::lock).
#include <cuda/atomic>
struct Object { int refs; int payload; };
__device__ bool try_ref(Object *o) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(o->refs);
    int n = r.load(cuda::memory_order_relaxed);
    while (n != 0)
        if (r.compare_exchange_weak(n, n + 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) return true;
    return false;
}
__device__ bool unref(Object *o) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(o->refs);
    return r.fetch_sub(1, cuda::memory_order_acq_rel) == 1;
}
__device__ bool unref_cas(int *p) {
    int n = *(volatile int *)p, seen;
    for (;; n = seen) {
        if (n <= 0) return false;
        seen = atomicCAS(p, n, n - 1);
        if (seen == n) return n == 1;
    }
}
// nothing: k
extern "C" __global__ void k(Object *objects, const int *which, int *extra, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Object *o = objects + which[i];
        int v = 0;
        if (try_ref(o)) { v = o->payload; if (unref(o)) v = -v; }
        out[i] = v + unref_cas(extra + which[i]);
    }
}
