// The path writes a[i + 128], what follows reads a[i] of the same array, with i below 128.
//
// RUN: ccc --block 96
// LAUNCH: half 2 96 i32:128 i32[128]=below:4:1 i32[256]=iota i32[128]=0
// EXPECT: same-memory
extern "C" __global__ void half(int n, const int *k, int *a, int *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 2) {
            int h = a[i];
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[i + 128] = h;
        }
        out[i] = a[i] + 1;
    }
}
