// HANGS: O3 G
// Warp-aggregated: the first of the active lanes adds for all of them, behind a lock.
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  unsigned active = __activemask();
  int leader = __ffs(active) - 1;
  if ((threadIdx.x & 31) == leader) m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
