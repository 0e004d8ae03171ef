// A local array outside of the loop is a cache that the path fills and reads.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path uses local memory, which another lane cannot reach
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int local[8];
    for (int j = 0; j < 8; ++j) local[(j + threadIdx.x) & 7] = j * 3 + threadIdx.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            out[i] = local[i & 7];
        }
    }
}
