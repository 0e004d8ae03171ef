// Without __restrict__ and with --strict, the branch is refused.
//
// RUN: ccc --block 96 --strict
// REFUSED: line 14: may meet, by all that is known, and the path would run later

extern "C" __global__ void strict_needs_restrict(int n, const int *in, int *a, int *b) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if
        if (v > 30) {
            a[i] = v * 3;
        }
        b[i] = in[i] + 1;
    }
}
