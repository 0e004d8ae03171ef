// Sums of floats and doubles that are small integers, so that the order of additions does not matter.
//
// RUN: ccc --block 96
// LAUNCH: folds 2 96 i32:900 i32[900]=below:1000:1 f32[192]=0 f64[192]=0
// EXPECT: same-memory
extern "C" __global__ void folds(int n, const int *__restrict__ k, float *__restrict__ out, double *__restrict__ most) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 1; double total = t;
//#CCC for reduce(+:sum) reduce(+:total)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v & 1) {
            int x = v;
            for (int j = 0; j < 5; ++j) x = (x * 31 + (x >> 7) + v) & 0xfff;
            sum += (float)x; total -= (double)x;
        }
    }
    out[t] = sum; most[t] = total;
}
