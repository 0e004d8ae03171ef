// The loop's counter doubles.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:100000 i32[200000]=below:4:1 i32[200000]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    if (threadIdx.x & 1) {} 
#CCC for
    for (int i = 2 * threadIdx.x + 1; i < n; i *= 2) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
        }
    }
}
