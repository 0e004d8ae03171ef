// Two statements of inline asm in path and rest declare registers of one name in their scopes.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        int w; asm volatile("{ .reg .b32 t; .reg .pred p; setp.gt.s32 p, %1, 1; mul.lo.s32 t, %1, 7; @p add.s32 t, t, %2; mov.b32 %0, t; }" : "=r"(w) : "r"(v), "r"(i));
#CCC if
        if (v & 1) {
            int x; asm volatile("{ .reg .b32 t; .reg .pred p; setp.gt.s32 p, %1, 9; mul.lo.s32 t, %1, 5; @p add.s32 t, t, %2; mov.b32 %0, t; }" : "=r"(x) : "r"(w), "r"(i));
            out[i] = x;
        }
    }
}
