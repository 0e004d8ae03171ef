// HANGS: O3 G
#include <cuda/semaphore>
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 4> s{2};
extern "C" __global__ void k(int *m, int n) {
  s.acquire();
  atomicAdd(&m[1], 1);
  s.release();
}
