// The path reads the thread's row of scratch, which the code behind it prepares for the next item.
//
// RUN: ccc --block 96
// REFUSED: line 18: the load of `row` at line 14 of the marked path and the store to `row` at line 18 may meet, and the path would run later
extern "C" __global__ void record(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ out) {
    __shared__ int row[4][96];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < 4; ++j) row[j][threadIdx.x] = 4 * t + j < n ? data[4 * t + j] : 0;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + row[(h >> 3) & 3][threadIdx.x];
            out[i] = h;
        }
        int next = i + gridDim.x * blockDim.x;
        if (next < n) for (int j = 0; j < 4; ++j) row[j][threadIdx.x] = data[4 * next + j];
    }
}
