// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  if (m[1] >= 40) { __threadfence(); atomicExch(&m[0], 0); return; }
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
  atomicAdd(&m[2], 1);
}
