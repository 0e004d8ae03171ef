// The second marked branch may overwrite what the first one wrote.
//
// RUN: ccc --block 96
// REFUSED: line 14: the store to `out` at line 14 depends on the store to `out` at line 12 of the marked path, which would run later, and cannot run with it
// LAUNCH: both 2 96 i32:250 i32[250]=below:9:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void both(int n, const int *__restrict__ op, const int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = op[i], v = a[i];
//#CCC if
        if (k > 3) { int h = v; for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); out[i] = h; }
//#CCC if
        if (k & 1) { int h = v; for (int j = 0; j < 9; ++j) h = h * 37 + (h >> 5); out[i] = h; }
    }
}
