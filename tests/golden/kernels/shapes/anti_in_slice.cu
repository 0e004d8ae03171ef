// What follows the path depends on it and reads what a later, independent statement of the rest overwrites.
//
// RUN: ccc --block 96
// REFUSED: line 14: a value that the marked path computes (register `%r25`) is used after it
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ b, int* __restrict__ out, int* __restrict__ counts) {
    int count = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            a[i] = i * 7 + v;
        }
        out[i] = a[i] + b[i];
        b[i] = count;
        count += v;
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = count;
}
