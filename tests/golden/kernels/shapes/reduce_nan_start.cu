// Accumulators of floats that begin as NaNs with other bits than an operation makes. Some threads fold nothing in, some fold NaNs, some a NaN of the kind
// that the parts begin with, some numbers.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:2:1 f32[192]=0 f32[192]=0 f32[192]=0 f32[192]=0 f64[192]=0
// LAUNCH: k 2 96 i32:350 i32[350]=below:9:1 f32[192]=0 f32[192]=0 f32[192]=0 f32[192]=0 f64[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, float* __restrict__ o1, float* __restrict__ o2, float* __restrict__ o3, float* __restrict__ o4,
                             double* __restrict__ o5) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float begin = __int_as_float(t % 5 == 0 ? 0x7fc00001 : t % 5 == 4 ? 0x40000000 : 0x7fc00000 + t);
    float s = begin, p = begin, lo = begin, hi = begin;
    double most = __longlong_as_double(0x7ff8000000001234 + t);
#CCC for reduce(+:s, *:p, min:lo, max:hi, max:most)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            float f = __int_as_float(v == 1 ? 0x40a00000 : v == 3 ? 0x7fc00001 : v == 5 ? 0x7fc00077 : 0x3f000000);
            s += f; p *= f; lo = fminf(lo, f); hi = fmaxf(hi, f);
            if (v == 7) most = fmax(most, 3.0 * v);
        }
    }
    o1[t] = s; o2[t] = p; o3[t] = lo; o4[t] = hi; o5[t] = most;
}
