// A path with pow, exp, log and sin of doubles.
//
// RUN: ccc --block 96
// LAUNCH: scientific 2 96 i32:250 f64[250]=rand:1 f64[250]=0
// EXPECT: same-memory
extern "C" __global__ void scientific(int n, const double *__restrict__ x, double *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double v = x[i];
//#CCC if
        if (v > 0.7) {
            out[i] = exp(-v) + log(v) + sqrt(v) + 1.0 / v;
        }
    }
}
