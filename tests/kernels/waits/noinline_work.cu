// HANGS: O3 G
__device__ __noinline__ void work(int *m, int by) { m[1] += by; if (m[1] < 0) __trap(); }
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  work(m, n);
  __threadfence();
  atomicExch(&m[0], 0);
}
