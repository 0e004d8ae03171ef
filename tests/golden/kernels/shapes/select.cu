// The path writes through a pointer that is one of two restrict pointers, selected per lane; the rest reads one of them.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ b, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        int* p = (v & 2) ? a : b;
#CCC if
        if (v & 1) {
            p[i] = i * 7 + v;
        }
        out[i] = a[i] * 3;
    }
}
