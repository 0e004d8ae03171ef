// A marked loop whose block size comes from the launch bounds; directives are pragmas from a macro.
//
// RUN: ccc
// LAUNCH: decay 2 96 i32:1000 f64[1000]=rand:13 f64[1000]=0
// EXPECT: same-memory
#define EACH _Pragma("CCC for") for
#define RARELY _Pragma("CCC if") if
extern "C" __global__ void __launch_bounds__(96) decay(int n, const double *__restrict__ in, double *__restrict__ out) {
    EACH (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double x = in[i];
        RARELY (x < 0.125) {
            for (int k = 0; k < 6; ++k) x = x / (0.5 + x) - 0.125;
            out[i] = x;
        }
    }
}
