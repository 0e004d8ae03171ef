// HANGS: O3 G
// One warp produces behind a lock and arrives, the other one waits at a barrier of its own.
extern "C" __global__ void k(int *m, int n) {
  if (threadIdx.x < 32) {
    while (atomicCAS(&m[0], 0, 1) != 0);
    m[1] += 1;
    __threadfence();
    atomicExch(&m[0], 0);
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    m[64 + threadIdx.x] = *(volatile int *)&m[1] > 0;
  }
}
