// Directives by _Pragma in macros, two loops on one line of the source.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:12:1 i32[450]=0
// EXPECT: same-memory
#define LOOP(i, n) _Pragma("CCC for") for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#define RARE(c) _Pragma("CCC if") if (c)
#define ALL(i, n, k, o, f) LOOP(i, n) { RARE(kind[i] == k) { int s = i; for (int j = 0; j < (i & 7); ++j) s = s * f + j; o[i] += s; } }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    ALL(i, n, 1, out, 3) ALL(i, n, 2, out, 5)
    ALL(j, n, 3, out, 7)
}
