// The marked loop may end early, before and behind the branch, by the item's own data.
//
// RUN: ccc --block 96
// LAUNCH: until 2 96 i32:900 i32[900]=below:64:1 i32[900]=0 i32[900]=0
// EXPECT: same-memory
extern "C" __global__ void until(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ seen) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
        if (v == 13) break;
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
        seen[i] = v + 1;
        if (v == 14) break;
    }
}
