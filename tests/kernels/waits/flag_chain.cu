// HANGS: O3 G
// Each thread of a block waits for the one before it.
extern "C" __global__ void k(int *m, int n) {
  volatile int *flag = m + 128 * blockIdx.x;
  if (blockIdx.x > 1) return;
  if (threadIdx.x > 0) while (flag[threadIdx.x - 1] == 0);
  __threadfence();
  flag[threadIdx.x] = threadIdx.x > 0 ? flag[threadIdx.x - 1] + 1 : 1;
}
