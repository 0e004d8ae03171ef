// The marked loop lies in a function that is not inlined.
//
// RUN: ccc --block 96
// REFUSED: line 9: the marked loop is in the function `work`, which was not inlined and may be called by a part of a warp
__device__ __noinline__ void work(int n, const int *k, int *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
extern "C" __global__ void outer(int n, const int *__restrict__ k, int *__restrict__ out) { work(n, k, out); }
