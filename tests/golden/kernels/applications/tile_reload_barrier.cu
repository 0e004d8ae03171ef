// Tiles of samples in shared memory, each read by the whole block between two barriers.
//
// RUN: ccc --block 64
// REFUSED: line 11: may meet the store to `tile`
extern "C" __global__ void tiles(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    __shared__ unsigned int tile[64];
    int tiles = n / 64 + 1;
    //#CCC for
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        __syncthreads();
        for (int k = threadIdx.x; k < 64; k += blockDim.x) tile[k] = in[64 * t + k];
        __syncthreads();
        unsigned int own = tile[threadIdx.x];
        //#CCC if
        if (own % 5 == 0) {
            unsigned int sum = 0;
            for (int k = 0; k < 64; k += 3) sum = sum * 5 + tile[(threadIdx.x + k) & 63];
            out[64 * t + threadIdx.x] = sum;
        }
    }
}
