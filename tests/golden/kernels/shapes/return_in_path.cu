// Lanes return from the kernel in the path.
//
// RUN: ccc --block 96
// REFUSED: line 11: the marked path leaves the loop (a `break`, `return` or `goto`)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            if (v == 19) return;
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
        }
        out[i] += 3;
    }
}
