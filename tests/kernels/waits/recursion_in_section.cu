// HANGS: O3 G
__device__ __noinline__ int depth(int n) { return n < 2 ? n : depth(n - 1) + depth(n - 2); }
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  m[1] += depth(5);
  __threadfence();
  atomicExch(&m[0], 0);
}
