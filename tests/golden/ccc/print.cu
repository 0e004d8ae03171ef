// `printf` in the path: without arguments it may be collected; with arguments nvcc hands them over in local memory, which no other
// lane can reach.
//
// RUN: ccc --block 64
// REPORT: kernel without
// REPORT: context 0 bytes
// REPORT: kernel with_number
// REPORT: refused
// REFUSED: line 26: local memory
// PTXAS: sm_90

#include <cstdio>

extern "C" __global__ void without(int n, const int *key) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (key[i] == 7) printf("seven\n");
    }
}

extern "C" __global__ void with_number(int n, const int *key) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if (key[i] == 7) printf("%d\n", i);
    }
}
