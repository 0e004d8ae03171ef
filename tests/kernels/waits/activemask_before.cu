// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  unsigned active = __activemask();
  int leader = __ffs(active) - 1;
  while (atomicCAS(&m[0], 0, 1) != 0);
  m[1] += __popc(active) > 0;
  __threadfence();
  atomicExch(&m[0], 0);
  if ((threadIdx.x & 31) == leader) *(volatile int *)&m[2] = 1;
}
