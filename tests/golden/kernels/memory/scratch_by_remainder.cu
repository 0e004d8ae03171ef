// A thread's scratch is found by the number of the item, modulo the number of threads: several items of one thread have it in common.
//
// RUN: ccc --block 96
// REPORT: assumes that the store to `work` at
// REPORT: never meet in two iterations
extern "C" __global__ void scratch(int n, const int *__restrict__ k, int *__restrict__ work, int *__restrict__ out) {
    int threads = gridDim.x * blockDim.x;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
//#CCC if
        if (k[i] == 3) {
            int *mine = work + 8 * (i % threads);
            for (int j = 0; j < 8; ++j) mine[j] = i * j;
            int h = 0;
            for (int j = 0; j < 8; ++j) h = h * 33 + mine[(j * 5 + i) & 7];
            out[i] = h;
        }
    }
}
