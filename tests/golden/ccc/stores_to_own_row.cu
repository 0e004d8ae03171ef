// Data decides to which place of its own row a thread stores. What is left there is the last value if the path stays where it is,
// and any of them if it is collected, which is said.
//
// RUN: ccc --block 96
// REPORT: assumes that the store to `row` at
// REPORT-SAME: and the store to `row` at
// REPORT-SAME: never meet in two iterations
extern "C" __global__ void latest(int n, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int row[96][8];
    for (int j = 0; j < 8; ++j) row[threadIdx.x][j] = 0;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
//#CCC if
        if (v > 20) {
            int h = v;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            row[threadIdx.x][h & 7] = i;
        }
    }
    for (int j = 0; j < 8; ++j) out[(blockIdx.x * blockDim.x + threadIdx.x) * 8 + j] = row[threadIdx.x][j];
}
