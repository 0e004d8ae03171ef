// A swizzled tile in shared memory: the branch writes to a column that is mixed with the row by an exclusive or.
//
// RUN: ccc --block 96
// LAUNCH: xor_swizzle 1 96 i32:60 i32[1000]=below:40:1 i32[60]=0
// LAUNCH: xor_swizzle 1 33 i32:33 i32[1000]=below:40:2 i32[60]=0
// EXPECT: same-memory

extern "C" __global__ void xor_swizzle(int rows, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ alignas(1024) int tile[64][8];
    for (int k = threadIdx.x; k < 512; k += blockDim.x) tile[k / 8][k % 8] = k;
    __syncthreads();
//#CCC for
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
        int v = in[row];
//#CCC if
        if (v > 20) {
            int h = row;
            for (int k = 0; k < v; ++k) h = h * 48271 + v;
            tile[row][(v ^ row) & 7] = h;
        }
        int s = 0;
        for (int k = 0; k < 8; ++k) s = s * 3 + tile[row][k ^ (row & 7)];
        out[row] = s;
    }
}
