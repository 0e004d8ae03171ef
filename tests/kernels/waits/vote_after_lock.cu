// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  int mine = m[1]++;
  __threadfence();
  atomicExch(&m[0], 0);
  unsigned odd = __ballot_sync(0xffffffffu, mine & 1);
  if ((threadIdx.x & 31) == 0) atomicAdd(&m[2], __popc(odd));
}
