// Black-Scholes-like path with pow, erfc and fmod of doubles.
//
// RUN: ccc --block 96
// REFUSED: line 10: the marked path calls `__internal_accurate_pow`, of which it is not known what it does
extern "C" __global__ void scientific(int n, const double *__restrict__ x, double *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        double v = x[i];
//#CCC if
        if (v > 0.7) out[i] = pow(v, 1.7) + erfc(v) + fmod(v * 100, 0.3);
    }
}
