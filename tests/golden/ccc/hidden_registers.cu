// Inlined assembly declares registers in scopes of its own, under names that the function has as well. What is written into the kernel names the function's,
// so that those of the scopes get other names.
//
// RUN: ccc --block 64
// REPORT: region line 20 in loop line 15: context 8 bytes
// CHECK: add.u32 %r1_1, $(=%r[0-9]*), 7; xor.b32 %r18_1, %r1_1, 5; mul.lo.u32 %r19_1, %r18_1, 3;
// PTXAS: sm_90
// LAUNCH: hidden 2 64 i32:1000 i32[1000]=rand:1 i32[1000]=0
// LAUNCH: hidden 1 33 i32:1000 i32[1000]=rand:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void hidden(int n, const unsigned *in, unsigned *out) {
    unsigned start = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = start; i < n; i += gridDim.x * blockDim.x) {
        unsigned value = in[i], r;
        asm volatile("{ .reg .u32 %%r1, %%r18, %%r19; add.u32 %%r1, %1, 7; xor.b32 %%r18, %%r1, 5; mul.lo.u32 %%r19, %%r18, 3; mov.u32 %0, %%r19; }"
                     : "=r"(r) : "r"(value));
#CCC if
        if (value % 3 == 0) {
            asm volatile("{ .reg .u32 %%r2; add.u32 %%r2, %1, 7; mov.u32 %0, %%r2; }" : "=r"(r) : "r"(r));
            out[i] = r;
        }
    }
}
