// A value is loaded in each iteration from one address that another thread changes between iterations.
//
// RUN: ccc --block 32
// LAUNCH: k 1 32 i32:20 i32[640]=below:4:1 i32[640]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int s;
    if (threadIdx.x == 0) s = 5;
    __syncwarp();
#CCC for
    for (int r = 0; r < n; ++r) {
        int w = s;
        __syncwarp();
        if (threadIdx.x == (r & 31)) s = w * 3 + r;
        __syncwarp();
        int v = kind[r * 32 + threadIdx.x];
#CCC if
        if (v & 1) { out[r * 32 + threadIdx.x] = w * v; }
    }
}
