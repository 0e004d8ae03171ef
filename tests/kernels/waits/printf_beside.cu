// HANGS: O3
#include <cstdio>
extern "C" __global__ void k(int *m, int n) {
  bool done = false;
  while (!done) {
    if (atomicExch(&m[0], 1) == 0) {
      m[1] += threadIdx.x;
      if (m[1] < 0) printf("overflow in thread %d\n", threadIdx.x);
      __threadfence();
      atomicExch(&m[0], 0);
      done = true;
    }
  }
}
