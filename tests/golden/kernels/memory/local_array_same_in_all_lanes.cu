// A local table with the same contents in all lanes, filled before the loop, is indexed by data within the path.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path uses local memory, which another lane cannot reach
extern "C" __global__ void table(int n, const int *__restrict__ pick, const int *__restrict__ seed, int *__restrict__ out) {
    int own[16];
    for (int j = 0; j < 16; ++j) own[j] = seed[j] * 3 + j;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            int h = own[p];
            for (int j = 0; j < 9; ++j) h = h * 33 + own[(h >> 3) & 15];
            out[i] = h;
        }
    }
}
