// The address of a local variable is stored to memory as a generic pointer, through which the path reads it.
//
// RUN: ccc --block 96
// REFUSED: line 14: `ld.u32` in the marked path may access local memory, which another lane cannot reach: line 8 keeps an address of it
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* volatile* table, int* __restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int local = t * 1000;
    table[t] = (int*)&local;
#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            out[i] = *table[t];
        }
    }
}
