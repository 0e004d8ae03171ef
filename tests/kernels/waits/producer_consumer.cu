// HANGS: O3 G
// Even lanes hand a value to their odd neighbour, back and forth.
extern "C" __global__ void k(int *m, int n) {
  volatile int *box = m + (threadIdx.x & ~1);
  if (blockIdx.x > 0) return;
  for (int i = 1; i <= n; ++i) {
    if (threadIdx.x & 1) { while (box[0] != i); box[1] += box[0]; __threadfence(); box[0] = -i; }
    else { box[0] = i; __threadfence(); while (box[0] != -i); }
  }
}
