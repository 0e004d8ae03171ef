// Inner marked for from the smallest int to the largest by a large step: the length does not fit 32 bits signed.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:96 i32[96]=below:60:1 i32[96]=0 i32:-2147483648 i32:2047483647
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int lo, int hi) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v < 9) {
#CCC for
            for (int j = lo + v; j < hi; j += 50000000) {
                atomicAdd(&out[i], j);
            }
        }
    }
}
