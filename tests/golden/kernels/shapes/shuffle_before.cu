// Shuffles and votes before the loop, and between two loops; the path uses their results.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = __shfl_xor_sync(~0u, threadIdx.x * 3, 5);
    unsigned b = __ballot_sync(~0u, threadIdx.x % 3 == 1);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            out[i] = s * v + (b >> (i & 7));
        }
    }
    int t = __shfl_down_sync(~0u, s, 1);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 2) {
            out[i] += t * v;
        }
    }
}
