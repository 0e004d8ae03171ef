// A wait that gives up after some tries and begins anew; the loop around it ends when the value has come.
// HANGS: O3 G
// ENDS: 1 2 3 4 5
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    volatile int *f = data;
    if (t > 0) {
        while (v == 0) {
            for (int tries = 0; tries < 16 * n; ++tries) {
                v = f[t - 1];
                if (v != 0) break;
            }
        }
    }
    f[t] = v + 1;
}
