// A two-dimensional block walks over a picture in tiles, rows outside and columns inside.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow

extern "C" __global__ void block_2d(int rows, int columns, const int *__restrict__ in, int *__restrict__ out) {
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < rows; y += gridDim.y * blockDim.y) {
//#CCC for
        for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < columns; x += gridDim.x * blockDim.x) {
//#CCC if
            if (in[y * columns + x] > 33) {
                int s = 0;
                for (int dx = -2; dx <= 2; ++dx) {
                    int at = min(max(x + dx, 0), columns - 1);
                    s = s * 3 + in[y * columns + at];
                }
                out[y * columns + x] = s;
            }
        }
    }
}
