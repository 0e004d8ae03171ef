// HANGS: O3 G
struct Op { __device__ virtual int apply(int) const = 0; };
struct Plus : Op { int by; __device__ Plus(int b) : by(b) {} __device__ int apply(int x) const override { return x + by; } };
struct Times : Op { int by; __device__ Times(int b) : by(b) {} __device__ int apply(int x) const override { return x * by; } };
extern "C" __global__ void k(int *m, int n) {
  Plus p(2); Times t(3);
  const Op *op = (threadIdx.x + n) & 1 ? (const Op *)&p : (const Op *)&t;
  while (atomicCAS(&m[0], 0, 1) != 0);
  m[1] += op->apply(5);
  __threadfence();
  atomicExch(&m[0], 0);
}
