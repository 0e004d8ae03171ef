// A lock by cuda::atomic_ref with compare_exchange_weak in a loop of its own form.
// HANGS: O3 G
// ENDS: 0 512

#include <cuda/atomic>

extern "C" __global__ void k(int *data, int n)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> lock(data[0]);
    for (int i = 0; i < n; ++i) {
        int free = 0;
        while (!lock.compare_exchange_weak(free, 1, cuda::std::memory_order_acquire, cuda::std::memory_order_relaxed))
            free = 0;
        data[1] = data[1] + 1;
        lock.store(0, cuda::std::memory_order_release);
    }
}
