// A wavefront in two dimensions: each lane does a row, and each cell waits for the cell above it.
// HANGS: O3 G
// ENDS: 8 9 10 11 12
extern "C" __global__ void k(int *data, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *done = data;          // how many cells of a row are done
    for (int column = 0; column < 2 * n; ++column) {
        if (row > 0) {
            while (done[row - 1] <= column + (row - 1)) {
                if (done[row - 1] >= 2 * n + row - 1) break;
            }
        }
        __threadfence();
        done[row] = column + 1 + row;
    }
}
