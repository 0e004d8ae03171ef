// HANGS: O3 G
// The first thread to come initialises, the others wait until that is done.
extern "C" __global__ void k(int *m, int n) {
  int was = atomicCAS(&m[0], 0, 1);
  if (was == 0) { m[1] = 77; __threadfence(); *(volatile int *)&m[0] = 2; }
  else while (*(volatile int *)&m[0] != 2);
  m[64 + threadIdx.x] = *(volatile int *)&m[1];
}
