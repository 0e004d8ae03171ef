// A thread walks a list of its own items, whose links the path does not touch.
//
// RUN: ccc --block 96
// LAUNCH: lists 2 96 i32:1000 i32[1000]=below:9:1 i32[1000]=iota i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void lists(int n, const int *k, const int *next, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i = next[i] + gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
