// `a || b`, where b reads memory that only a lane without a may read: two branches lead into the path.
//
// RUN: ccc --block 128
// REPORT: region line 15 in loop line 13: context
// PTXAS: sm_90
// LAUNCH: disjunction 2 128 i32:1000 i32[1000]=rand:1 i32[1000]=below:1000:2 i32[1000]=0
// LAUNCH: disjunction 1 33 i32:1000 i32[1000]=rand:1 i32[1000]=below:1000:2 i32[1000]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void disjunction(int n, const int *key, const int *link, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if ((key[i] & 7) == 0 || (key[link[i]] & 15) == 0) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
        }
    }
}
