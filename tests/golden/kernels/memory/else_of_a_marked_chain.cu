// Three marked branches in a chain with an unmarked one between, whose conditions have side conditions.
//
// RUN: ccc --block 96
// LAUNCH: chain 2 96 i32:250 i32[250]=below:9:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void chain(int n, const int *__restrict__ op, const int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = op[i], v = a[i];
//#CCC if
        if (k == 0 || (k == 5 && v > 50)) { int h = v; for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); out[i] = h; }
        else if (k == 1) out[i] = 5;
//#CCC if
        else if (k < 4 && !(v & 1)) { int h = v; for (int j = 0; j < 9; ++j) h = h * 35 + (h >> 6); out[i] = h; }
//#CCC if
        else if (v % 3 == 1) { int h = v; while (h > 3) h = h / 3 + 1; out[i] = -h; }
        else out[i] = 8;
    }
}
