// A function that is not inlined is called in the rest and reads what the path writes.
//
// RUN: ccc --block 96
// REFUSED: line 14: the call of `peek` in or before the marked loop may wait for lanes that the rewritten loop keeps elsewhere
__noinline__ __device__ int peek(const int* a, int i) { return a[i] * 3; }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            a[i] = v * i;
        }
        out[i] = peek(a, i);
    }
}
