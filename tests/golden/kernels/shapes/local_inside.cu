// A local array with dynamic indices lives in the path alone.
//
// RUN: ccc --block 96
// REFUSED: line 12: the marked path uses local memory, and pxrw collects no such path, even where no other code uses that memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int local[8];
            for (int j = 0; j < 8; ++j) local[(j + v) & 7] = j * i;
            out[i] = local[i & 7];
        }
    }
}
