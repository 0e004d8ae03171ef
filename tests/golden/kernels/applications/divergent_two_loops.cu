// The two halves of each warp run different marked loops: one of sums, one of products.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: halves 2 96 i32:500 i32[500]=below:100:1 i32[500]=0 i32[500]=0
// EXPECT: same-memory
extern "C" __global__ void halves(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ a, unsigned int *__restrict__ b) {
    int t = (blockIdx.x * blockDim.x + threadIdx.x) / 2, step = (gridDim.x * blockDim.x + 1) / 2;
    if (threadIdx.x & 1) {
        //#CCC for
        for (int i = t; i < n; i += step) {
            unsigned int x = in[i];
            //#CCC if
            if (x % 3 == 1) { for (int k = 0; k < 8; ++k) x += x << k; a[i] = x; }
        }
    } else {
        //#CCC for
        for (int i = t; i < n; i += step) {
            unsigned int x = in[i];
            //#CCC if
            if (x % 4 == 1) { for (int k = 0; k < 5; ++k) x = x * x + 3; atomicMax(&b[i], x); }
        }
    }
}
