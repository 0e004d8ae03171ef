// A kernel of one item per thread, with an early return, in a two-dimensional grid.
//
// RUN: ccc --block 96
// LAUNCH: items 3,2 32,3 i32:90 i32:6 i32[540]=below:4:1 i32[540]=0
// LAUNCH: items 3,2 32,3 i32:70 i32:5 i32[540]=below:4:1 i32[540]=0
// EXPECT: same-memory
extern "C" __global__ void items(int width, int height, const int *__restrict__ k, int *__restrict__ out) {
//#CCC grid
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * 90 + x;
//#CCC if
    if (k[i] == 3) {
        int h = i;
        for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
        out[i] = h;
    }
}
