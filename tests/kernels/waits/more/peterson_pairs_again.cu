// Peterson's two-sided turn: pairs of lanes with two flags and a turn word count in turns.
// HANGS: O3 G
// ENDS: 8 8 8 8
extern "C" __global__ void k(int *data, int n) {
    __shared__ int want[64], turn[32];
    int i = threadIdx.x, pair = i / 2, other = i ^ 1;
    want[i] = 0;
    if (i % 2 == 0) turn[pair] = 0;
    __syncthreads();
    volatile int *count = data + blockIdx.x * 32 + pair;
    for (int r = 0; r < n; ++r) {
        atomicExch(&want[i], 1);
        __threadfence();
        atomicExch(&turn[pair], other);
        __threadfence();
        while (atomicAdd(&want[other], 0) == 1 && atomicAdd(&turn[pair], 0) == other) {}
        *count = *count + 1;
        __threadfence();
        atomicExch(&want[i], 0);
    }
}
