// A marked branch that prints what it finds.
//
// RUN: ccc --block 96
// REFUSED: line 10: uses local memory
#include <cstdio>
extern "C" __global__ void report(int n, const int *__restrict__ in) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        //#CCC if
        if (in[i] < 0) printf("row %d is %d\n", i, in[i]);
    }
}
