// Indices modulo n: the path writes the element that the rest reads n further.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32:17 i32[250]=below:5:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, int s, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            a[(i + s) % n] = i * 7 + v;
        }
        out[i] = a[(i + s + n) % n] * 3;
    }
}
