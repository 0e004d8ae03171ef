// A file with a marked kernel between two that are not, one of which is used by the first.
//
// RUN: ccc --block 96
// REFUSED: line 10: the call of `slow` in or before the marked loop may wait for lanes that the rewritten loop keeps elsewhere
__device__ __noinline__ int slow(int h) { for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); return h; }
extern "C" __global__ void before(int n, const int *k, int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = slow(k[i]); }
extern "C" __global__ void middle(int n, const int *k, int *out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = slow(k[i]);
//#CCC if
        if (v & 1) { int h = v; for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5); out[i] = h; }
    }
}
extern "C" __global__ void last(int n, const int *k, int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] += slow(k[i]); }
