// Sparse matrix times vector, in double: long rows are the marked path, and their norm is taken from y right behind it.
//
// RUN: ccc --block 96
// LAUNCH: spmv 2 96 i32:250 i32[250]=below:200:1 i32[250]=below:40:2 f64[240]=rand:3 f64[250]=rand:4 f64[250]=0 f64[250]=0
// EXPECT: same-memory
extern "C" __global__ void spmv(int n, const int *start, const int *len, const double *val, const double *x, double *y, double *norm) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int s = start[i], l = len[i];
        y[i] = -1.0;
//#CCC if
        if (l > 12) {
            double sum = 0;
            for (int e = s; e < s + l; ++e) sum += val[e] * x[e];
            y[i] = sum;
        }
        norm[i] = y[i] * y[i];
    }
}
