// A tree of lanes: each waits for its two children, the root turns round, and each waits for its parent.
// HANGS: O3 G
// ENDS: 64 63 63 63 63
extern "C" __global__ void k(int *data, int n) {
    __shared__ int up[64], down[64];
    int i = threadIdx.x;
    up[i] = 0;
    down[i] = 0;
    __syncthreads();
    volatile int *u = up, *d = down;
    int sum = 1;
    for (int c = 2 * i + 1; c <= 2 * i + 2; ++c) {
        if (c < 64) {
            while (u[c] == 0) {}
            sum += u[c];
        }
    }
    __threadfence_block();
    u[i] = sum;
    int v = sum;
    if (i > 0) {
        while (d[(i - 1) / 2] == 0) {}
        v = d[(i - 1) / 2] == 64 ? 63 : d[(i - 1) / 2];
    }
    __threadfence_block();
    d[i] = v;
    data[blockIdx.x * 64 + i] = v + n - 4;
}
