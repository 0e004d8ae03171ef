// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  while (atomicCAS(&lock, 0, 1) != 0);
  sum += threadIdx.x;
  __threadfence_block();
  atomicExch(&lock, 0);
  __syncthreads();
  if (threadIdx.x == 0) m[1 + blockIdx.x] = sum;
}
