// Both halves of one array by the same index: the path writes the upper half, what follows reads it by another index of the own pair.
//
// RUN: ccc --block 96
// LAUNCH: halves 2 96 i32:120 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void halves(int n, const int *k, int *a, int *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 2) {
            int h = a[i];
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i + n] = h;
        }
        out[i] = a[i + (k[i] > 0 ? n : 0)];
    }
}
