// A scratch word of the thread in shared memory is written and read in the path alone.
//
// RUN: ccc --block 96
// REFUSED: line 14: the store to `s` at line 12 of the marked path may meet the load of `s` at line 14 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int s[192];
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            s[2 * threadIdx.x] = v; s[2 * threadIdx.x + 1] = i;
            __threadfence_block();
            out[i] = s[2 * threadIdx.x + ((v >> 1) & 1)] + 1;
        }
    }
}
