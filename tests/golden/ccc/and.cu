// `a && b`: two branches skip the path, and both stay in the loop.
//
// RUN: ccc --block 128
// REPORT: region line 15 in loop line 13: context
// PTXAS: sm_90
// LAUNCH: conjunction 2 128 i32:1000 i32[1000]=rand:1 i32[1000]=below:1000:2 i32[1000]=0
// LAUNCH: conjunction 1 33 i32:1000 i32[1000]=rand:1 i32[1000]=below:1000:2 i32[1000]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void conjunction(int n, const int *key, const int *link, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if (key[i] < 0 && (key[link[i]] & 3) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}
