// Lanes with the same key elect one of them, which takes the lock.
extern "C" __global__ void k(int *m, int n) {
  int key = threadIdx.x % 3;
  unsigned same = __match_any_sync(0xffffffffu, key);
  if (__ffs(same) - 1 == (threadIdx.x & 31)) {
    while (atomicCAS(&m[key], 0, 1) != 0);
    m[8 + key] += __popc(same);
    __threadfence();
    atomicExch(&m[key], 0);
  }
  __syncwarp();
  m[64 + threadIdx.x] = 1;
}
