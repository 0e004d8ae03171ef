// A function that is not inlined is called in the rest; it reads a module variable that the path writes.
//
// RUN: ccc --block 96
// REFUSED: line 15: the call of `peek` in or before the marked loop may wait for lanes that the rewritten loop keeps elsewhere
__device__ int g[512];
__noinline__ __device__ int peek(int i) { return g[i] * 3; }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            g[i] = v * i;
        }
        int x = peek(i);
        out[i] = x;
    }
}
