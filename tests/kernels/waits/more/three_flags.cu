// A lane waits until three flags of three other lanes are up at once; the loop has three conditions.
// HANGS: O3 G
// ENDS: 0 0 0 1 1 1
extern "C" __global__ void k(int *data, int n) {
    volatile int *f = data + 128;
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
    if (t >= 3) {
        while (f[t - 1] == 0 || f[t - 2] == 0 || f[t - 3] == 0) {}
        v = n - 3;
    }
    f[t] = 1;
    data[t] = v;
}
