// The path of the `if` is collected; the `else` stays where it is and runs in its own lanes.
//
// RUN: ccc --block 128
// REPORT: region line 15 in loop line 13: context
// PTXAS: sm_90
// LAUNCH: both 2 128 i32:1000 i32[1000]=rand:1 i32[1000]=0
// LAUNCH: both 1 31 i32:1000 i32[1000]=iota i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void both(int n, const int *key, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = key[i];
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
        } else {
            out[i] = -key[i] / 3;
        }
    }
}
