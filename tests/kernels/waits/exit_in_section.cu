// HANGS: O3 G
// A lane that finds nothing to do gives the lock back and ends at once.
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  if ((threadIdx.x & 3) == 1) {
    __threadfence();
    atomicExch(&m[0], 0);
    asm volatile("exit;");
  }
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
  m[64 + threadIdx.x] = 1;
}
