// The rare branch moves the loop's index on.
//
// RUN: ccc --block 96
// REFUSED: line 9: a value that the marked path computes

extern "C" __global__ void path_moves_index(int n, const int *__restrict__ in, int *__restrict__ out) {
    int stride = gridDim.x * blockDim.x;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
//#CCC if
        if (in[i] > 30) {
            out[i] = in[i] * 3;
            i += stride;
        }
    }
}
