// The thread's scratch is found through a table of offsets, loaded once before the loop.
//
// RUN: ccc --block 96
// REFUSED: line 14: the store to `work` at line 12 of the marked path may meet the load of `work` at line 14 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void scratch(int n, const int *__restrict__ k, const int *__restrict__ slots, int *__restrict__ work, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int *mine = work + 8 * slots[t];
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            for (int j = 0; j < 8; ++j) mine[j] = i * j;
            int h = 0;
            for (int j = 0; j < 8; ++j) h = h * 33 + mine[(j * 5 + i) & 7];
            out[i] = h;
        }
    }
}
