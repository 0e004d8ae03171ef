// Indices of path and rest differ by a constant under a mask, and are the same element.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:5:1 i32[2000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        unsigned char q = v + 250, r = v + i * 256 + 762;
#CCC if
        if (v & 1) {
            a[i * 8 + (q & 7)] = i * 7 + v;
        }
        out[i] = a[i * 8 + (r & 7)] * 3;
    }
}
