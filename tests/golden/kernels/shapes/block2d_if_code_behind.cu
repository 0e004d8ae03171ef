// As `block2d_if`, with code behind the if that every lane reaches, and a vote there.
//
// RUN: ccc --block 140
// LAUNCH: k 2 20,7 i32:500 i32[500]=below:4:1 i32[500]=0 i32[280]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
    int y = threadIdx.y, x = threadIdx.x;
    if (y > 2) {
#CCC for
    for (int i = blockIdx.x * 140 + threadIdx.y * 20 + threadIdx.x; i < n; i += gridDim.x * 140) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = y;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + x;
            out[i] = s * 10 + y;
        }
    }
    }
    more[blockIdx.x * 140 + threadIdx.y * 20 + threadIdx.x] = y;
}
