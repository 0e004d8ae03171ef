// Each iteration loads its item's record into the thread's row of a tile in shared memory; the path indexes it by data.
//
// RUN: ccc --block 96
// REFUSED: line 9: the load of `row` at line 13 of the marked path may meet the store to `row` at line 9 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void record(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int row[96][4];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        for (int j = 0; j < 4; ++j) row[threadIdx.x][j] = data[4 * i + j];
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + row[threadIdx.x][(h >> 3) & 3];
            out[i] = h;
        }
    }
}
