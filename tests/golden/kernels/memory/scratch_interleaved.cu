// Scratch in global memory is interleaved by thread, so that accesses coalesce: element j of thread t lies at j * threads + t.
//
// RUN: ccc --block 96
// REFUSED: line 13: the store to `work` at line 11 of the marked path may meet the load of `work` at line 13 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void scratch(int n, const int *__restrict__ k, int *__restrict__ work, int *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
//#CCC for
    for (int i = t; i < n; i += threads) {
//#CCC if
        if (k[i] == 3) {
            for (int j = 0; j < 8; ++j) work[j * threads + t] = i * j;
            int h = 0;
            for (int j = 0; j < 8; ++j) h = h * 33 + work[((j * 5 + i) & 7) * threads + t];
            out[i] = h;
        }
    }
}
