// The accumulator is only subtracted from, and added to outside of the path as well.
//
// RUN: ccc --block 96
// LAUNCH: folds 2 96 i32:900 i32[900]=below:1000:1 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void folds(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 1000;
//#CCC for reduce(+:sum)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
        sum += v;
//#CCC if
        if (v & 1) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = x * 31 + (x >> 7) + v;
            sum -= x;
            for (int j = 0; j < (v & 7); ++j) sum += x >> j;
        }
        sum -= v >> 1;
    }
    out[t] = sum;
}
