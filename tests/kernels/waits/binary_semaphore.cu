// HANGS: O3 G
#include <cuda/semaphore>
__device__ cuda::binary_semaphore<cuda::thread_scope_device> s{1};
extern "C" __global__ void k(int *m, int n) {
  s.acquire();
  m[1] += 1;
  __threadfence();
  s.release();
}
