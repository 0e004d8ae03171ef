// HANGS: O3 G
// Two checks in a row, and one in a loop, while the lock is held.
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0);
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    int v = ((volatile int *)m)[16 + i];
    if (v < 0) __trap();
    sum += v + i;
  }
  if (sum < 0) __trap();
  m[1] += sum; m[2] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
