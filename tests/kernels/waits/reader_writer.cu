// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  if (threadIdx.x % 8 == 0) {
    while (atomicCAS(&m[0], 0, -1) != 0);
    m[1] += 1; m[2] += 1;
    __threadfence();
    atomicExch(&m[0], 0);
  } else {
    for (;;) {
      int r = *(volatile int *)&m[0];
      if (r >= 0 && atomicCAS(&m[0], r, r + 1) == r) break;
    }
    int a = *(volatile int *)&m[1], b = *(volatile int *)&m[2];
    __threadfence();
    atomicSub(&m[0], 1);
    if (a != b) atomicAdd(&m[3], 1);
  }
}
