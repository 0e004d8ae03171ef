// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  if (threadIdx.x == 0) atomicAdd(&m[0], 3);
  for (;;) {
    int have = *(volatile int *)&m[0];
    if (have > 0 && atomicCAS(&m[0], have, have - 1) == have) break;
  }
  atomicAdd(&m[1], 1);
  __threadfence();
  atomicAdd(&m[0], 1);
}
