// A tournament barrier: losers report to winners, the champion wakes all through a tree, n times.
// HANGS: O3 G
// ENDS: 256 256 0
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int arrived[64], go[64];
    int i = threadIdx.x;
    arrived[i] = 0;
    go[i] = 0;
    __syncthreads();
    for (int r = 1; r <= n; ++r) {
        atomicAdd(&data[blockIdx.x], 1);
        __threadfence();
        int d = 1;
        for (; d < 64; d *= 2) {
            if (i & d) {
                arrived[i] = r;
                while (go[i] != r) {}
                break;
            }
            while (arrived[i + d] != r) {}
        }
        for (d /= 2; d > 0; d /= 2) go[i + d] = r;
        if (atomicAdd(&data[blockIdx.x], 0) < 64 * r) atomicAdd(&data[2], 1);
    }
}
