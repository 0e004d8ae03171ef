// Substitution of bytes by a table in constant memory; a global counter has the number of exceptions.
//
// RUN: ccc --block 96
// LAUNCH: substitute 2 96 i32:1000 u8[1000]=rand:16 u8[1000]=0 u32[1]=0
// EXPECT: same-memory
__constant__ unsigned char table[16] = {9, 4, 10, 11, 13, 1, 8, 5, 6, 2, 0, 3, 12, 14, 15, 7};
__device__ unsigned int exceptions;
extern "C" __global__ void substitute(int n, const unsigned char *__restrict__ in, unsigned char *__restrict__ out, unsigned int *copy) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char b = in[i];
        //#CCC if
        if (b >= 200) {
            unsigned char x = b;
            for (int r = 0; r < 4; ++r) x = table[x >> 4] << 4 | (table[x & 15] ^ r);
            out[i] = x;
            atomicAdd(&exceptions, 1u);
            atomicAdd(copy, 1u);
        }
    }
}
