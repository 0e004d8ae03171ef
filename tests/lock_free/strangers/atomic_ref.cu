// Libcu++ compare_exchange_weak, which reads anew on failure (in CUDA it fails only by another's update); multiply-add
// and try-decrement.

// nothing: ar
#include <cuda/atomic>
extern "C" __global__ void ar(int *c, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(c[0]), b(c[1]);
    int v = a.load(cuda::memory_order_relaxed);
    while (!a.compare_exchange_weak(v, v * 3 + 1, cuda::memory_order_acq_rel)) ;
    int w = b.load();
    bool got = false;
    while (w > 0 && !(got = b.compare_exchange_strong(w, w - 1))) ;
    out[threadIdx.x] = 1 + (got & 0);
}
