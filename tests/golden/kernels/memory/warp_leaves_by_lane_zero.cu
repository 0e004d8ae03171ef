// Only lane 0 of each warp goes on into the marked loop.
//
// RUN: ccc --block 96
// LAUNCH: leaders 2 96 i32:300 i32[300]=below:9:1 i32[300]=0
// EXPECT: same-memory
extern "C" __global__ void leaders(int n, const int *__restrict__ k, int *__restrict__ out) {
    if (threadIdx.x & 31) return;
    int warps = (blockDim.x + 31) / 32;
//#CCC for
    for (int i = blockIdx.x * warps + threadIdx.x / 32; i < n; i += gridDim.x * warps) {
//#CCC if
        if (k[i] > 6) {
            int x = k[i];
            for (int j = 0; j < 9; ++j) x = x * 33 + (x >> 5);
            out[i] = x;
        }
    }
}
