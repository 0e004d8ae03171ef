// The loop counts its own variable on only when the flag of its neighbour is up: n steps forward and it is over.
// HANGS: O3 G
// ENDS: 1 1 1 1
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *f = data;
    for (int i = 0; i < n;) i += t == 0 ? 1 : f[t - 1];
    f[t] = 1;
}
