// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  int a = threadIdx.x % 4, b = (threadIdx.x + 1) % 4;
  if (a > b) { int t = a; a = b; b = t; }
  while (atomicCAS(&m[a], 0, 1) != 0);
  while (atomicCAS(&m[b], 0, 1) != 0);
  m[8 + a] += 1; m[8 + b] += 1;
  __threadfence();
  atomicExch(&m[b], 0);
  atomicExch(&m[a], 0);
}
