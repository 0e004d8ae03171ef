// A call in the rest of an iteration that some lanes come to, whose result goes on to the next iteration.
//
// RUN: ccc --block 96
// REFUSED: line 11: the call of `step` in or before the marked loop may wait for lanes that the rewritten loop keeps elsewhere
__noinline__ __device__ int step(int x, int y) { return x * 3 + y; }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ sums) {
    int c = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v == 4) c = step(c, i);
#CCC if
        if (v & 1) { out[i] = v * 3 + c; }
        if (v == 6) c = step(i, c);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = c;
}
