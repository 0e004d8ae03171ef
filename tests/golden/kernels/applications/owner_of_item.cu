// Which thread and which lane has done an item is written down by the rare branch.
//
// RUN: ccc --block 96
// LAUNCH: owners 2 96 i32:1000 u32[1000]=rand:2 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void owners(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        //#CCC if
        if (in[i] % 5 == 0) {
            unsigned int lane;
            asm("mov.u32 %0, %%laneid;" : "=r"(lane));
            unsigned int mask;
            asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
            out[i] = threadIdx.x * 1000 + blockIdx.x * 100000 + lane + __popc(mask) * 10000000u;
        }
    }
}
