// The path calls a function that is not inlined and touches no memory.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path calls `slow`, of which it is not known what it does
__device__ __noinline__ int slow(int h) { for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); return h; }
extern "C" __global__ void calls(int n, const int *k, int *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v & 1) out[i] = slow(v);
    }
}
