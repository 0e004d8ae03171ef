// A warp per row: the loop around the marked one is run by the warp's number, which is the same in all lanes of one-dimensional blocks.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (reads %tid.x)
extern "C" __global__ void warps(int n, const int *__restrict__ k, int *__restrict__ out) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, all = gridDim.x * blockDim.x / 32;
    for (int row = warp; row < n; row += max(all, 1)) {
//#CCC for
        for (int i = lane; i < 100; i += 32) {
//#CCC if
            if (k[100 * row + i] == 3) {
                int h = i;
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                out[100 * row + i] = h;
            }
        }
    }
}
