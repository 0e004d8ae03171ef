// The path ends the marked loop: a search that stops at the first hit of the thread.
//
// RUN: ccc --block 96
// REFUSED: line 14: the marked path leaves the loop (a `break`, `return` or `goto`)
extern "C" __global__ void first(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
            if (h & 1) break;
        }
    }
}
