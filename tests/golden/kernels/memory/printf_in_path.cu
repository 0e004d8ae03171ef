// Rare diagnostics in the path.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path uses local memory, and pxrw collects no such path, even where no other code uses that memory
#include <cstdio>
extern "C" __global__ void diag(int n, const int *__restrict__ x, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i];
//#CCC if
        if (v > 97) { out[i] = v; printf("item %d: %d\n", i, v); }
    }
}
