// Each thread counts in its own column of a histogram in shared memory, without atomics.
//
// That iterations are independent is not true of them, which is said.
// RUN: ccc --block 96
// REPORT: assumes that the store to `column` at
// REPORT-SAME: and the load of `column` at
// REPORT-SAME: never meet in two iterations
extern "C" __global__ void histogram(int n, const int *__restrict__ k, int *__restrict__ out) {
    __shared__ int column[16][96];
    for (int b = 0; b < 16; ++b) column[b][threadIdx.x] = 0;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            column[h & 15][threadIdx.x]++;
        }
    }
    for (int b = 0; b < 16; ++b) atomicAdd(&out[b], column[b][threadIdx.x]);
}
