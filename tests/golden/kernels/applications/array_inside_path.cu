// Sorting of four values in the rare branch, in an array that only the branch has.
//
// RUN: ccc --block 96
// REFUSED: line 12: uses local memory
extern "C" __global__ void sort4(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i];
        //#CCC if
        if ((x & 15) < 3) {
            unsigned char count[16];
            for (int k = 0; k < 16; ++k) count[k] = 0;
            for (int k = 0; k < 8; ++k) ++count[(x >> 4 * k) & 15];
            unsigned int sorted = 0;
            for (int k = 0; k < 16; ++k)
                for (int c = 0; c < count[k]; ++c) sorted = sorted << 4 | k;
            out[i] = sorted;
        }
    }
}
