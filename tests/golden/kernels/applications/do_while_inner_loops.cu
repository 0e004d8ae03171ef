// Newton steps on polynomials of different degrees, with a loop in each step.
//
// RUN: ccc --block 96
// LAUNCH: newton 2 96 i32:1000 f64[1000]=rand:17 f64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void newton(int n, const double *__restrict__ start, double *__restrict__ root) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double x = 1.0 + start[i], step;
        int degree = 2 + (i % 5), rounds = 0;
        //#CCC while
        do {
            double p = -2.0, d = 0.0;
            for (int k = 0; k < degree; ++k) { d = d * x + p; p = p * x + (k & 1 ? -0.5 : 1.5); }
            step = d != 0.0 ? p / d : 0.0;
            x -= step;
        } while (fabs(step) > 1e-9 && ++rounds < 25);
        root[i] = x;
    }
}
