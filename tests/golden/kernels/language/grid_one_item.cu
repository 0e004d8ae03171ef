// One item per thread, made a loop over blocks by a directive.
//
// RUN: ccc --block 96
// LAUNCH: grid_one_item 3 96 i32:250 i32[300]=below:40:1 i32[300]=0
// LAUNCH: grid_one_item 2 33 i32:60 i32[300]=below:40:2 i32[300]=0
// EXPECT: same-memory

extern "C" __global__ void grid_one_item(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC grid
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
//#CCC if
    if (in[i] > 20) {
        int h = i;
        for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
        out[i] = h;
    }
}
