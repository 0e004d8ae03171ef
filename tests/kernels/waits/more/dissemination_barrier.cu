// A dissemination barrier over the threads of a block, with a counter for each thread and step.
// ENDS: 256 256 0
extern "C" __global__ void k(int *data, int n) {
    __shared__ unsigned flag[6][64];
    int i = threadIdx.x;
    for (int s = 0; s < 6; ++s) flag[s][i] = 0;
    __syncthreads();
    for (unsigned round = 1; round <= (unsigned)n; ++round) {
        atomicAdd(&data[blockIdx.x], 1);
        for (int s = 0; s < 6; ++s) {
            atomicAdd(&flag[s][(i + (1 << s)) % 64], 1u);
            while (atomicOr(&flag[s][i], 0u) < round) {}
        }
        if (atomicAdd(&data[blockIdx.x], 0) < 64 * (int)round) atomicAdd(&data[2], 1);
    }
}
