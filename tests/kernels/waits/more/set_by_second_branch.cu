// In one loop half of the lanes wait and the other half count down to the moment when they raise the flags.
// HANGS: O3 G
// ENDS: 1 1 1 1
extern "C" __global__ void k(int *data, int n) {
    volatile int *f = data + blockIdx.x * 64;
    int i = threadIdx.x, left = 3 * n;
    for (;;) {
        if (i & 1) {
            if (f[i - 1]) break;
        } else {
            if (--left == 0) break;
        }
    }
    f[i] = 1;
}
