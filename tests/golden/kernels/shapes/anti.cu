// The path reads an element at its end that the rest of the iteration overwrites.
//
// RUN: ccc --block 96 --no-hoist-loads
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = 1;
            for (int j = 0; j < (i & 7); ++j) s = s * 31 + a[i];
            out[i] = s + a[i];
        }
        a[i] = -v;
    }
}
