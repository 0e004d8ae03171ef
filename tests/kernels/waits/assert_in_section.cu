// HANGS: O3 G
#include <cassert>
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  int c = *(volatile int *)&m[1];
  assert(c >= 0 && c < 100000);
  *(volatile int *)&m[1] = c + 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
