// As `warp_if32` with code behind: tid.x / 32 in blocks of 48 by 3 is not uniform.
//
// RUN: ccc --block 144
// LAUNCH: k 2 48,3 i32:500 i32[500]=below:4:1 i32[500]=0 i32[288]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
    int y = threadIdx.y, x = threadIdx.x;
    if ((x >> 5) == 0) {
#CCC for
    for (int i = blockIdx.x * 144 + threadIdx.y * 48 + threadIdx.x; i < n; i += gridDim.x * 144) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = y;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + x;
            out[i] = s * 10 + y;
        }
    }
    }
    more[blockIdx.x * 144 + threadIdx.y * 48 + threadIdx.x] = y;
}
