// As `count_shared` with a volatile word.
//
// RUN: ccc --block 96
// REFUSED: line 13: the store to `mine` at line 13 of the marked path may meet the load of `mine` at line 13 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ counts) {
    __shared__ volatile int mine[96];
    mine[threadIdx.x] = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            mine[threadIdx.x] = mine[threadIdx.x] + v;
            out[i] = v * 3;
        }
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = mine[threadIdx.x];
}
