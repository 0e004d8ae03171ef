// The number of rounds around the marked loop is the result of a function of uniform arguments that differs between lanes.
//
// RUN: ccc --block 96
// REFUSED: line 8: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.param.b32)
__noinline__ __device__ int rounds(int f) { int lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); return (lane & 3) + f; }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int m = rounds(1);
    for (int r = 0; r < m; ++r) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + r;
            out[i] += s;
        }
    }
    }
}
