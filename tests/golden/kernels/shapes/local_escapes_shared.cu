// As `local_escapes`, but through a pointer in shared memory, and the local is per iteration.
//
// RUN: ccc --block 96
// REFUSED: line 16: `ld.volatile.u32` in the marked path may access local memory, which another lane cannot reach: line 10 keeps an address of it
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int* table[256];
    int t = threadIdx.x;
    int slots[4];
    for (int j = 0; j < 4; ++j) slots[(j + t) & 3] = t * 10 + j;
    table[t] = &slots[t & 3];
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            out[i] = *table[t];
        }
    }
}
