// HANGS: O3 G
__device__ __noinline__ void take(int *l) { while (atomicCAS(l, 0, 1) != 0); __threadfence(); }
__device__ __noinline__ void give(int *l) { __threadfence(); atomicExch(l, 0); }
extern "C" __global__ void k(int *m, int n) {
  take(m);
  m[1] += 1;
  give(m);
}
