// The result of a function that is not inlined differs between lanes; the path uses it.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0
// EXPECT: same-memory
__noinline__ __device__ int mine(int f) { int lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); return lane * f; }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int w = mine(n);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + w;
            out[i] = s;
        }
    }
}
