// The rare branch asks for the number of its lane, which is another one once contexts are collected.
//
// RUN: ccc --block 96
// LAUNCH: lane_id_in_path 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: lane_id_in_path 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

__device__ __forceinline__ unsigned lane() {
    unsigned l;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
    return l;
}

extern "C" __global__ void lane_id_in_path(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 30) {
            out[i] = in[i] * 100 + lane() + threadIdx.x * 10000;
        }
    }
}
