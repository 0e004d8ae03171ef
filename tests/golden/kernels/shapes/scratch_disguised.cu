// As `scratch_shared`, but with a scratch that alternates between two places from iteration to iteration.
//
// RUN: ccc --block 96
// REFUSED: line 11: the load of `s` at line 14 of the marked path may meet the store to `s` at line 11 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int s[192];
    int flip = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        s[threadIdx.x * 2 + flip] = i * v;
#CCC if
        if (v & 1) {
            out[i] = s[threadIdx.x * 2 + flip] + 1;
        }
        flip ^= 1;
    }
}
