// A barrier over both blocks: the first thread of each block counts and waits, the block waits at __syncthreads.
// ENDS: 8 512
extern "C" __global__ void k(int *data, int n) {
    for (int r = 1; r <= n; ++r) {
        atomicAdd(&data[1], 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&data[0], 1);
            while (atomicAdd(&data[0], 0) < 2 * r) {}
            __threadfence();
        }
        __syncthreads();
    }
}
