// The path asks which thread it is. It is run by another lane later, but must hear the answer of the lane that collected it.
//
// RUN: ccc --block 128
// REPORT: kernel inline_asm
// REPORT: %laneid b32 4 bytes: special register read in the path
// PTXAS: sm_90
// LAUNCH: index 2 128 i32:1500 i32[1500]=rand:1 i32[1500]=0
// LAUNCH: index 1 33 i32:1500 i32[1500]=rand:2 i32[1500]=0
// EXPECT: same-memory, efficiency rises
// LAUNCH: inline_asm 2 128 i32:1500 i32[1500]=rand:3 i32[1500]=0
// LAUNCH: inline_asm 1 31 i32:1500 i32[1500]=rand:4 i32[1500]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void index(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = threadIdx.x;
            for (int k = 0; k < 20; ++k) x = x * 3 + k + blockIdx.x;
            out[i] = x;
        }
    }
}

// The special register itself stands in the path.
extern "C" __global__ void inline_asm(int n, const int *key, int *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            unsigned lane;
            asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
            for (int k = 0; k < 20; ++k) lane = lane * 3 + k;
            out[i] = lane;
        }
    }
}
