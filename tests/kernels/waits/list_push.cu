// HANGS: O3 G
// A stack of nodes under a lock; the pool is checked.
extern "C" __global__ void k(int *m, int n) {
  int node = atomicAdd(&m[2], 1) + 1;
  if (node > 4096) __trap();
  while (atomicCAS(&m[0], 0, 1) != 0);
  if (node < 128) m[128 + node] = m[1] < 2;
  m[1] = 1; m[3] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
