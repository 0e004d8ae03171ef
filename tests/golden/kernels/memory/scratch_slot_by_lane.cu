// The thread's slot is found by warp and lane numbers from special registers.
//
// RUN: ccc --block 96
// REFUSED: line 16: the store to `slot` at line 14 of the marked path may meet the load of `slot` at line 16 of a later iteration: iterations use the same memory, and the path would run later
extern "C" __global__ void slots(int n, const int *__restrict__ k, int *__restrict__ out) {
    __shared__ volatile int slot[3][4][32];
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
//#CCC if
        if (k[i] > 5) {
            int w = threadIdx.x / 32;
            for (int j = 0; j < 4; ++j) slot[w][j][lane] = i * j + 1;
            int h = 0;
            for (int j = 0; j < 9; ++j) h = h * 33 + slot[w][(h >> 2) & 3][lane];
            out[i] = h;
        }
    }
}
