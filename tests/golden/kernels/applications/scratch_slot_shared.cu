// Checksums of pairs: a slot per thread in shared memory holds the pair that the rare branch reads again.
//
// RUN: ccc --block 96
// REFUSED: line 9: may meet the store to `slot`
extern "C" __global__ void pairs(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    __shared__ volatile unsigned int slot[96];
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        slot[threadIdx.x] = in[i] * 3u;
        //#CCC if
        if ((in[i] & 7) == 0) {
            unsigned int x = slot[threadIdx.x];
            for (int k = 0; k < 6; ++k) x = x * x + k;
            out[i] = x;
        }
    }
}
