// Two lanes of a warp play ping-pong with one ball, in 64 pairs.
// HANGS: O3 G
// ENDS: 8 8 8 8
extern "C" __global__ void k(int *data, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *ball = data + t / 2;
    for (int i = 0; i < n; ++i) {
        while (*ball % 2 != t % 2) {}
        *ball = *ball + 1;
    }
}
