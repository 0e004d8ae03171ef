// Lanes load from the same shared address one after the other, and get different values; the path uses them.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ volatile int s[3];
    int lane = threadIdx.x & 31, w = 0;
    if (lane == 0) s[threadIdx.x >> 5] = 5;
    __syncwarp();
    for (int l = 0; l < 32; ++l) {
        if (lane == l) { asm volatile("// mine"); }
        __syncwarp();
        int x = s[threadIdx.x >> 5];
        if (lane >= l) w = x;
        __syncwarp();
        if (lane == 0) s[threadIdx.x >> 5] = x * 3 + l;
        __syncwarp();
    }
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { out[i] = w * v; }
    }
}
