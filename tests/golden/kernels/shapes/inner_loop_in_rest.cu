// A loop in the rest of the iteration reads a row of which the path writes a part.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[1000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            a[4 * i + v] = v * i;
        }
        int s = 0;
        for (int j = 0; j <= v; ++j) s = s * 3 + a[4 * i + j];
        out[i] = s;
    }
}
