// Some threads leave the kernel in the middle of the marked loop, outside of the path.
//
// RUN: ccc --block 96
// LAUNCH: leave 2 96 i32:900 i32[900]=below:64:1 i32[900]=0 i32[900]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void leave(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ seen, int *__restrict__ done) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
        if (v == 13) return;
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
        seen[i] = v + 1;
    }
    done[t] = 1;
}
