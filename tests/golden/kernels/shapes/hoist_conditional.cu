// The path loads under a condition, beyond the end of an array otherwise.
//
// RUN: ccc --block 96 --hoist-loads
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[128]=rand:2 i32[450]=0
// LAUNCH: k 1 33 i32:450 i32[450]=below:90:2 i32[128]=rand:3 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, const int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = v;
            if (i < 128) s += a[i];
            for (int j = 0; j < (i & 3); ++j) s = s * 31 + j;
            out[i] = s;
        }
    }
}
