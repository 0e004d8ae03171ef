// A scratch of the thread in global memory that the path alone uses, as `scratch_global` without volatile.
//
// RUN: ccc --block 96
// REFUSED: line 14: the store to `scratch` at line 12 of the marked path may meet the load of `scratch` at line 14 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ scratch) {
    int* mine = scratch + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            for (int j = 0; j < 4; ++j) mine[(j + v) & 3] = j * i;
            int x = 0;
            for (int j = 0; j < 4; ++j) x = x * 3 + mine[(j * i) & 3];
            out[i] = x;
        }
    }
}
