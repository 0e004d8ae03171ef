// The path asks for the lane, the lanes below and the warp by special registers.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            unsigned lane, below, warp;
            asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
            asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
            asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
            out[i] = lane * 10 + below % 1000 + warp + threadIdx.x * 7;
        }
    }
}
