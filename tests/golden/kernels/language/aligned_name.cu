// A kernel whose name contains the letters of `align`.
//
// RUN: ccc --block 96
// LAUNCH: aligned_rows 2 96 i32:1000 i32[1000]=below:40:1
// LAUNCH: aligned_rows 1 33 i32:77 i32[1000]=below:40:2
// EXPECT: same-memory

extern "C" __global__ void aligned_rows(int n, int *a) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (a[i] > 25) {
            int h = i;
            for (int k = 0; k < 9; ++k) h = h * 48271 + k;
            a[i] = h;
        }
    }
}
