// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  int mine = atomicAdd(&m[0], 1);
  while (*(volatile int *)&m[1] != mine);
  m[2] += mine;
  __threadfence();
  atomicAdd(&m[1], 1);
}
