// The wait is made of gotos and leaves by return; the flag is set behind another label.
// HANGS: O3 G
// ENDS: 7 8 9 10
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = n + 3;
    volatile int *p = data;
    if (t == 0) goto set;
again:
    v = p[t - 1];
    if (v != 0) { v = v + 1; goto set; }
    if (n > 100) return;
    goto again;
set:
    __threadfence();
    p[t] = v;
}
