// Banded alignment: the path fills the item's own row, what follows reads a cell of it that the data names.
//
// RUN: ccc --block 96
// LAUNCH: band 2 96 i32:250 i32[250]=below:16:1 i32[4000]=below:50:2 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void band(int n, const int *__restrict__ pick, int *__restrict__ h, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            int *row = h + 16 * i;
            for (int j = 1; j < 16; ++j) row[j] = max(row[j - 1] - 2, row[j] + (j & 3));
        }
        out[i] = h[16 * i + p];
    }
}
