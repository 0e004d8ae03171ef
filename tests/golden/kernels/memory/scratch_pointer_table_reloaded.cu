// The thread's scratch is found through a table of offsets, loaded anew in each path.
//
// RUN: ccc --block 96
// REFUSED: line 14: the store to `work` at line 12 of the marked path may meet the load of `work` at line 14 of a later iteration
extern "C" __global__ void scratch(int n, const int *k, const int *slots, int *work, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int *mine = work + 8 * slots[t];
            for (int j = 0; j < 8; ++j) mine[j] = i * j;
            int h = 0;
            for (int j = 0; j < 8; ++j) h = h * 33 + mine[(j * 5 + i) & 7];
            out[i] = h;
        }
    }
}
