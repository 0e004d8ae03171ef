// Smallest and largest floats with NaNs and zeros of both signs among them, and doubles; no sum whose order matters.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 f64[192]=0 f32[192]=0 f32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, double* __restrict__ out, float* __restrict__ lo, float* __restrict__ hi) {
    double d = 0; float l = 1, h = -1; 
#CCC for reduce(+:d, min:l, max:h)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { float f = v == 7 ? __int_as_float(0x7fc00000) : v < 20 ? -0.0f : 0.0f * v; d += v * 0.5; l = fminf(l, f); h = fmaxf(h, f); }
    }
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = d; lo[t] = l; hi[t] = h;
}
