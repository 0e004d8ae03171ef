// elect.sync before the loop: one lane alone has the value.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int e; asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }" : "=r"(e));
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { out[i] = e * 100 + v; }
    }
}
