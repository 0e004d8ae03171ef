// HANGS: O3 G
// Sums over each half of the warp, after a lock.
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
  unsigned half = threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu;
  int v = threadIdx.x;
  for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(half, v, d, 16);
  if ((threadIdx.x & 15) == 0) m[64 + threadIdx.x] = v;
}
