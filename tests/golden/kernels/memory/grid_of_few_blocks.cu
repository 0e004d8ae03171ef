// One item per thread, with two blocks that stay, and a marked loop within.
//
// RUN: ccc --block 64
// LAUNCH: items 9 64 i32:540 i32[540]=below:40:1 i32[540]=0
// EXPECT: same-memory
extern "C" __global__ void items(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC grid blocks(2) block(64)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = k[i] + 1, steps = 0;
//#CCC while
    while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; ++steps; }
    out[i] = steps * gridDim.x + blockIdx.x;
}
