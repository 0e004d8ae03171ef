// Rows of 16: the path fills row i up to its end, what follows writes only its first cell, which the path does not touch.
//
// RUN: ccc --block 96
// LAUNCH: band 2 96 i32:250 i32[250]=below:16:1 i32[4000]=below:50:2
// EXPECT: same-memory
extern "C" __global__ void band(int n, const int *__restrict__ pick, int *__restrict__ h) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            for (int j = 1; j < 16; ++j) h[16 * i + j] = h[16 * i + j] * 5 + j;
        }
        h[16 * i] = p;
    }
}
