// A wait that looks at the flag only every so many clocks; the clock alone does not end it.
// HANGS: O3 G
// ENDS: 1 2 3 4
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    volatile int *f = data;
    if (t > 0) {
        for (;;) {
            long long begin = clock64();
            while (clock64() - begin < n) {}
            v = f[t - 1];
            if (v) break;
        }
    }
    f[t] = v + 1;
}
