// A path with an assertion.
//
// RUN: ccc --block 96
// LAUNCH: checked 2 96 i32:250 i32[250]=below:100:1 i32[250]=0
// EXPECT: same-memory
#include <cassert>
extern "C" __global__ void checked(int n, const int *__restrict__ x, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = x[i];
//#CCC if
        if (v > 50) { int h = v; for (int j = 0; j < 9; ++j) h = h * 33 + 1; assert(v < 100); out[i] = h; }
    }
}
