// HANGS: O3 G
// The lower half of the warp takes the lock, the upper one sums meanwhile.
extern "C" __global__ void k(int *m, int n) {
  if ((threadIdx.x & 31) < 16) {
    while (atomicCAS(&m[0], 0, 1) != 0);
    m[1] += 1;
    __threadfence();
    atomicExch(&m[0], 0);
    unsigned all = __ballot_sync(0x0000ffffu, true);
    if ((threadIdx.x & 31) == 0) atomicAdd(&m[2], __popc(all));
  } else {
    int v = threadIdx.x;
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffff0000u, v, d, 16);
    if ((threadIdx.x & 15) == 0) m[64 + threadIdx.x] = v;
  }
}
