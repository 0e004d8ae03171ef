// Largest and smallest floats by comparisons, which are no fold when a NaN comes.
//
// RUN: ccc --block 96
// REFUSED: line 11: register `%f26`, which the marked path hands on, is no reduction: `setp.lt.f32` takes it for something else than `min`
extern "C" __global__ void k(int n, const int* __restrict__ kind, float* __restrict__ lo, float* __restrict__ hi) {
    float l = 1, h = -1; 
#CCC for reduce(min:l, max:h)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { float f = v == 7 ? __int_as_float(0x7fc00000) : v * 0.37f - 5; l = f < l ? f : l; h = h > f ? h : f; }
    }
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    lo[t] = l; hi[t] = h;
}
