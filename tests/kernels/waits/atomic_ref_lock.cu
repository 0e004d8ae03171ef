// HANGS: O3 G
#include <cuda/atomic>
extern "C" __global__ void k(int *m, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(m[0]);
  int expected = 0;
  while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire)) expected = 0;
  m[1] += 1;
  lock.store(0, cuda::memory_order_release);
}
