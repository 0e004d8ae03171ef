// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  while (atomicCAS(&m[0], 0, 1) != 0) { long long t = clock64(); while (clock64() - t < 40); }
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
