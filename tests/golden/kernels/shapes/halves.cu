// The path writes the second half of the array of which the rest of the iteration reads the first, n/2 apart.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[500]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* a, int* __restrict__ out) {
    int half = n;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = 0;
            for (int k = 0; k < v + 5; ++k) s = s * 31 + k * i;
            a[half + i] = s;
        }
        out[i] = a[i] + v;
    }
}
