// Each lane waits for the value of the lane to its left, over both blocks.
// HANGS: O3 G
// ENDS: 4 5 6 7 8 9
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *f = data;
    if (t > 0) while (f[t - 1] == 0) {}
    int v = t == 0 ? n : f[t - 1] + 1;
    __threadfence();
    f[t] = v;
}
