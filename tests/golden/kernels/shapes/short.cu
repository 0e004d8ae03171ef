// Indices are computed in 16 bits, where path and rest wrap around to the same element.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32:65000 i32[250]=below:5:1 i32[65536]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, int far, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        unsigned short t = i + far;
#CCC if
        if (v & 1) {
            a[(unsigned short)(t + 600)] = i * 7 + v;
        }
        int u = t;
        out[i] = a[u >= 64936 ? u - 64936 : u + 600] * 3;
    }
}
