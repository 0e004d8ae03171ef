#include <cuda/barrier>
#include <new>
extern "C" __global__ void k(int *m, int n) {
  __shared__ alignas(16) char room[64];
  auto *b = reinterpret_cast<cuda::barrier<cuda::thread_scope_block> *>(room);
  if (threadIdx.x == 0) init(b, blockDim.x);
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    atomicAdd(&m[1], 1);
    b->arrive_and_wait();
    if (*(volatile int *)&m[1] < (int)blockDim.x * (i + 1)) atomicAdd(&m[2], 1);
    b->arrive_and_wait();
  }
}
