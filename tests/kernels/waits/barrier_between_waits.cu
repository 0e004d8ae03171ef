// In each round a chain of lanes passes a number on, and a barrier of the block stands between the rounds.
// HANGS: O3 G
// ENDS: 4 8 12 16 20
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int slot[65];
    int i = threadIdx.x, sum = 0;
    for (int r = 0; r < n; ++r) {
        slot[i + 1] = 0;
        if (i == 0) slot[0] = 1;
        __syncthreads();
        int v;
        while ((v = slot[i]) == 0) {}
        slot[i + 1] = v + 1;
        sum += v;
        __syncthreads();
    }
    data[blockIdx.x * 64 + i] = sum;
}
