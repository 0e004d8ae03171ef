// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  unsigned want = __ballot_sync(0xffffffffu, (threadIdx.x & 1) == (n & 1));
  if (want >> (threadIdx.x & 31) & 1) {
    while (atomicCAS(&m[0], 0, 1) != 0);
    m[1] += __popc(want);
    __threadfence();
    atomicExch(&m[0], 0);
  }
}
