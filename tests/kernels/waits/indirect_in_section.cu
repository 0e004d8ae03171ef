// HANGS: O3 G
typedef int (*step)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int next(int x) { return x + 1; }
__device__ step table[2] = {twice, next};
extern "C" __global__ void k(int *m, int n) {
  step f = table[(n + threadIdx.x) & 1];
  while (atomicCAS(&m[0], 0, 1) != 0);
  m[1] += f(3);
  __threadfence();
  atomicExch(&m[0], 0);
}
