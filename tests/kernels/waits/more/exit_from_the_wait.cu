// Lanes leave the kernel by return from inside the loop in which they wait for their left neighbour.
// HANGS: O3 G
// ENDS: 1 2 3 4 5
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *f = data;
    for (;;) {
        int left = t == 0 ? n - 4 : f[t - 1];
        if (t == 0 || left != 0) {
            f[t] = left + 1;
            return;
        }
    }
}
