// HANGS: O3 G
struct Lock {
  int *at;
  __device__ void lock() { while (atomicCAS(at, 0, 1) != 0); __threadfence(); }
  __device__ void unlock() { __threadfence(); atomicExch(at, 0); }
};
struct Guard { Lock &l; __device__ Guard(Lock &l) : l(l) { l.lock(); } __device__ ~Guard() { l.unlock(); } };
extern "C" __global__ void k(int *m, int n) {
  Lock lock{m};
  { Guard g(lock); m[1] += 1; }
  if (threadIdx.x & 1) { Guard g(lock); m[2] += 1; }
}
