// HANGS: O3 G
#include <cstdio>
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  int c = *(volatile int *)&m[1];
  if (c % 16 == 0) printf("%d so far\n", c);
  *(volatile int *)&m[1] = c + 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
