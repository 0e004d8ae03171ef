// Gives up after many tries with a trap instead of waiting for ever.
// GIVES UP: O3 G
extern "C" __global__ void k(int *m, int n) {
  long long tries = 0;
  while (atomicCAS(&m[0], 0, 1) != 0)
    if (++tries > (1ll << 40)) __trap();
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
