// HANGS: O3 G
extern "C" __global__ void k(int *m, int n) {
  unsigned ns = 8;
  while (atomicCAS(&m[0], 0, 1) != 0) { __nanosleep(ns); if (ns < 256) ns *= 2; }
  m[1] += 1;
  __threadfence();
  atomicExch(&m[0], 0);
}
