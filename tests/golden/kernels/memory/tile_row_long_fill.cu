// The row of a tile is filled by a loop that the compiler does not unroll, with a length that the item says.
//
// RUN: ccc --block 64
// REFUSED: line 10: the load of `row` at line 14 of the marked path may meet the store to `row` at line 10 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void record(int n, const int *__restrict__ len, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int row[64][33];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int l = len[i];
        for (int j = 0; j < l; ++j) row[threadIdx.x][j] = data[32 * i + j];
//#CCC if
        if (l > 15) {
            int h = i;
            for (int j = 0; j < l; ++j) h = h * 33 + row[threadIdx.x][l - 1 - j];
            out[i] = h;
        }
    }
}
