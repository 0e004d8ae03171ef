// A lock of cuda::std::atomic_flag: test_and_set to take it, clear to give it back.
// HANGS: O3 G
// ENDS: 512

#include <cuda/std/atomic>

__device__ cuda::std::atomic_flag flag;

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        while (flag.test_and_set(cuda::std::memory_order_acquire))
            ;
        data[0] += 1;
        flag.clear(cuda::std::memory_order_release);
    }
}
