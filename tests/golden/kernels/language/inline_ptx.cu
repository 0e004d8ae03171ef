// Inline PTX in the rare branch: a multiply-add, a predicated select in a block of its own, and a byte permute.
//
// RUN: ccc --block 96
// LAUNCH: inline_ptx 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: inline_ptx 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void inline_ptx(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] % 3 == 2) {
            int a = in[i], b;
            asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(b) : "r"(a), "r"(i), "n"(77));
            asm volatile("{ .reg .pred p, q; .reg .b32 t;\n\t"
                         "setp.gt.s32 p|q, %1, 20;\n\t"
                         "selp.b32 t, %1, %0, p;\n\t"
                         "@q add.s32 t, t, 5;\n\t"
                         "prmt.b32 %0, t, %0, 0x4321; }" : "+r"(b) : "r"(a));
            out[i] = b;
        }
    }
}
