// HANGS: O3 G
// A bounds check that traps, in a critical section.
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  int c = *(volatile int *)&m[1] + 1;
  if (c > 100000) __trap();
  *(volatile int *)&m[1] = c;
  __threadfence();
  atomicExch(&m[0], 0);
}
