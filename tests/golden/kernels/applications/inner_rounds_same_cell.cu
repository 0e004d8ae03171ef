// Rounds of an update of one cell: rounds of a cell depend on each other, cells do not.
//
// RUN: ccc --block 96
// REFUSED: line 11: is in a loop inside the marked loop
extern "C" __global__ void rounds(int n, unsigned int *__restrict__ cell) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#pragma unroll 1
        for (int j = 0; j < 6; ++j) {
            //#CCC if
            if ((i * 7 + j * 5) % 3 == 0) {
                unsigned int x = cell[i];
                for (int k = 0; k < 4; ++k) x = x * 69069u + j;
                cell[i] = x;
            }
        }
    }
}
