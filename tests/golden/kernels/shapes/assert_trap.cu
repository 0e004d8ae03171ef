// An assertion, a trap and __builtin_unreachable in path and rest.
//
// RUN: ccc --block 96
// REFUSED: line 12: the marked path has `trap`, which acts on the thread that executes it
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v > 100) __trap();
#CCC if
        if (v & 1) {
            if (v > 50) __trap();
            if (v < 0) __builtin_unreachable();
            out[i] = v * i;
        }
        if (out[i] == 123456789) __trap();
    }
}
