// The path fills a local array, what follows writes it out.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path uses local memory, which another lane cannot reach
extern "C" __global__ void digits(int n, const int *__restrict__ pick, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
        int d[4] = {0, 0, 0, 0};
//#CCC if
        if (p > 9) {
            int h = p;
            for (int j = 0; j < 9; ++j) { h = h * 33 + 1; d[(h >> 3) & 3] += h; }
        }
        for (int j = 0; j < 4; ++j) out[4 * i + j] = d[j];
    }
}
