// The path needs predicates, halves, doubles and a 64-bit shift of values that change in the rest.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:4:1 f64[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, double* __restrict__ out) {
    bool p = threadIdx.x & 1, q = threadIdx.x & 2; double d = 1.5; unsigned short h = threadIdx.x; unsigned long long l = 77;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        bool r = v > 1 && p, t = v < 3 || q;
#CCC if
        if (v & 1) {
            double s = d;
            for (int j = 0; j < (i & 7); ++j) s = s * 1.25 + (r ? h : 3);
            if (t) s += l; if (p != q) s -= 2;
            out[i] = s;
        }
        bool u = p; p = q ^ (v == 2); q = !u; d += v; h = h * 5 + 1; l = l << (v & 3) | 1;
    }
}
