// One item per thread in a two-dimensional launch of which two blocks stay.
//
// RUN: ccc --block 96
// LAUNCH: grid_blocks_two 3,2 8,4 i32:24 i32:8 i32[192]=below:40:1 i32[192]=0 i32[4]=0
// LAUNCH: grid_blocks_two 5,2 5,3 i32:23 i32:6 i32[192]=below:40:2 i32[192]=0 i32[4]=0
// EXPECT: same-memory

extern "C" __global__ void grid_blocks_two(int width, int height, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ counts) {
//#CCC grid blocks(2)
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int v = in[y * width + x];
//#CCC if
        if (v % 4 == 1) {
            int h = v;
            for (int k = 0; k < v; ++k) h = h * 48271 + x;
            out[y * width + x] = h;
        }
//#CCC if
        else if (v % 4 == 2) {
            for (int k = 0; k < v; ++k) v = v * 5 + y;
            atomicAdd(&counts[v & 3], 1);
        }
    }
}
