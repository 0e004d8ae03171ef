// A list that is shifted: the branch writes the second half of a pair that is read behind it by another expression.
//
// RUN: ccc --block 96
// LAUNCH: shift 2 96 i32:1000 u32[3000]=rand:9 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void shift(int n, unsigned int *__restrict__ z, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = z[3 * i];
        //#CCC if
        if (x % 3 == 0) {
            for (int k = 0; k < 6; ++k) x = x * 5 + k;
            z[3 * i + (x & 1)] = x;
        }
        unsigned int at = 3 * i + (z[3 * i + 2] & 1);
        out[i] = z[at];
        atomicAdd(&z[3 * i + 2], 4u);
    }
}
