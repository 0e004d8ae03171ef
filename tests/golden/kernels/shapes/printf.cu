// printf in the rest of the iteration.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
#include <cstdio>
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) { out[i] = i * 3; }
        if (v > 9) printf("%d\n", v);
    }
}
