// HANGS: O3 G
// All of one warp meet at a barrier of 32 after the lock.
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
  if (threadIdx.x < 32) asm volatile("bar.sync 2, 32;" ::: "memory");
  else asm volatile("bar.sync 3, 32;" ::: "memory");
  m[64 + threadIdx.x] = 1;
}
