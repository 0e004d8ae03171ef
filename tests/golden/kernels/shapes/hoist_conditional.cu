// The path loads under a condition, beyond the end of an array otherwise.
//
// RUN: ccc --block 96 --hoist-loads
// REFUSED: line 13: the marked path leaves the loop (a `break`, `return` or `goto`)
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
