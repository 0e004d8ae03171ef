// Sparse matrix times vector with a row per task: the sum of each row is written behind its loop.
//
// RUN: ccc --block 96
// LAUNCH: spmv 2 96 i32:1000 u8[1000]=rand:4 u16[16000]=rand:5 f64[1024]=rand:6 f64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void spmv(int n, const unsigned char *__restrict__ length, const unsigned short *__restrict__ column, const double *__restrict__ x, double *__restrict__ y) {
    //#CCC for
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < n; row += gridDim.x * blockDim.x) {
        double sum = 0.0;
        //#CCC while
        for (int k = row * 16, end = row * 16 + (length[row] & 15); k < end; ++k) {
            unsigned short c = column[k];
            sum += x[c & 1023] * (1.0 + (c >> 10));
        }
        y[row] = sum;
    }
}
