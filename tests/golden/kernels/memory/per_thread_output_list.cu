// Each thread appends what it finds to its own list: the counter lives in a register.
//
// RUN: ccc --block 96
// REFUSED: line 15: a value that the marked path computes (register `%r8`) is used after it
extern "C" __global__ void append(int n, const int *__restrict__ k, int *__restrict__ list, int *__restrict__ counts) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            list[16 * t + count++] = h;
        }
    }
    counts[t] = count;
}
