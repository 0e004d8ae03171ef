// The thread's row of scratch in global memory is filled before the branch and indexed by data within.
//
// RUN: ccc --block 96
// REFUSED: line 9: the load of `work` at line 13 of the marked path may meet the store to `work` at line 9 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void record(int n, const int *__restrict__ k, const int *__restrict__ data, int *__restrict__ work, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        for (int j = 0; j < 4; ++j) work[4 * t + j] = data[4 * i + j];
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + work[4 * t + ((h >> 3) & 3)];
            out[i] = h;
        }
    }
}
