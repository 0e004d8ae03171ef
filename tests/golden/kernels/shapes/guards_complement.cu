// In the assembler of a path, two instructions with complementary guards write a register together. So it carries nothing from iteration to iteration.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[450]=0
// LAUNCH: k 1 33 i32:450 i32[450]=below:20:2 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int x, y, z;
            asm volatile("{\n .reg .pred p;\n .reg .b32 t;\n setp.gt.s32 p, %1, 20;\n @p mov.b32 t, 5;\n @p add.s32 t, t, %1;\n @!p mov.b32 t, 9;\n"
                         " add.s32 %0, t, %1;\n}" : "=r"(x) : "r"(v));
            asm volatile("{\n .reg .pred p, q;\n .reg .b32 t;\n setp.lt.s32 p, %1, 9;\n not.pred q, p;\n @q mov.b32 t, %1;\n @p mov.b32 t, 7;\n"
                         " mul.lo.s32 %0, t, 3;\n}" : "=r"(y) : "r"(v));
            asm volatile("{\n .reg .pred p, q;\n setp.gt.s32 p, %1, 12;\n @!p setp.lt.s32 q, %1, 3;\n @p setp.lt.s32 q, %1, 30;\n"
                         " @p ld.global.b32 %0, [%2];\n @!p mov.b32 %0, 9;\n @q add.s32 %0, %0, 1;\n}" : "=r"(z) : "r"(v), "l"(kind + 4));
            out[i] = x + y * 100 + z * 1000;
        }
    }
}
