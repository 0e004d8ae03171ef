// Row sums by a scratch row per thread in global memory, which a rare branch adds up.
//
// RUN: ccc --block 96
// REFUSED: line 10: may meet the store to `scratch`
extern "C" __global__ void rows(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ scratch, unsigned int *__restrict__ out) {
    unsigned int *mine = scratch + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i];
        for (int k = 0; k < 8; ++k) mine[(x >> k) & 7] = x + k;
        //#CCC if
        if ((x & 3) == 1) {
            unsigned int sum = 0;
            for (int k = 0; k < 8; ++k) sum = sum * 31 + mine[k];
            out[i] = sum;
        }
    }
}
