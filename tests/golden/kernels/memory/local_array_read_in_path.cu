// A small local array is filled before the branch and indexed by data within it: it lies in the lane's own local memory.
//
// RUN: ccc --block 96
// REFUSED: line 13: the marked path uses local memory, which another lane cannot reach
extern "C" __global__ void palette(int n, const int *__restrict__ pick, const int *__restrict__ seed, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i], s = seed[i];
        int table[16];
        for (int j = 0; j < 16; ++j) table[j] = s * j + (s >> (j & 3));
//#CCC if
        if (p > 9) {
            int h = table[p];
            for (int j = 0; j < 9; ++j) h = h * 33 + table[(h >> 3) & 15];
            out[i] = h;
        }
    }
}
