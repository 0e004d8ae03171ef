// Accumulators of floats that begin as NaN or a negative zero, of which some threads fold nothing in: the result is what they began with.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:2:1 f32[192]=0 f32[192]=0 f32[192]=0 f32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, float* __restrict__ o1, float* __restrict__ o2, float* __restrict__ o3, float* __restrict__ o4) {
    float s = -0.0f, p = __int_as_float(0x7fffffff), lo = __int_as_float(0x7fffffff), hi = __int_as_float(0x7fffffff);
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t & 1) { p = -0.0f; lo = __int_as_float(0x7f800000); hi = -0.0f; }
#CCC for reduce(+:s, *:p, min:lo, max:hi)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { float f = v * -0.0f; s += f; p *= v * 0.5f; lo = fminf(lo, __int_as_float(0x7fffffff + (v & 2))); hi = fmaxf(hi, __int_as_float(0x7fffffff + (v & 2))); }
    }
    o1[t] = s; o2[t] = p; o3[t] = lo; o4[t] = hi;
}
