// HANGS: O3 G
// Open addressing with a lock per slot and a bounds check.
extern "C" __global__ void k(int *m, int n) {
  int key = threadIdx.x * 7 % 32;
  for (int at = key % 16;; at = (at + 1) % 16) {
    if (at < 0 || at > 15) __trap();
    while (atomicCAS(&m[at], 0, 1) != 0);
    int there = *(volatile int *)&m[32 + at];
    bool mine = there == 0 || there == key % 16 + 1;
    if (mine) { m[32 + at] = key % 16 + 1; m[64 + at] += 1; }
    __threadfence();
    atomicExch(&m[at], 0);
    if (mine) return;
  }
}
