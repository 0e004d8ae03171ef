// HANGS: O3 G
#include <cuda/atomic>
extern "C" __global__ void k(int *m, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> turn(m[0]);
  if (blockIdx.x > 0) return;
  for (int seen = turn.load(); seen != (int)threadIdx.x; seen = turn.load()) turn.wait(seen);
  m[1] += threadIdx.x;
  turn.store(threadIdx.x + 1, cuda::memory_order_release);
  turn.notify_all();
}
