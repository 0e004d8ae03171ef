// A lock of cuda::atomic that is taken by exchange with acquire and given back by a store with release.
// HANGS: O3 G
// ENDS: 512

#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> busy;

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        while (busy.exchange(1, cuda::std::memory_order_acquire) != 0) {
        }
        data[0] = data[0] + 1;
        busy.store(0, cuda::std::memory_order_release);
    }
}
