// The path has a loop in inline PTX, with a label of its own per expansion.
//
// RUN: ccc --block 96
// REFUSED: line 12: the marked loop has branches inside a nested `{ }` scope
extern "C" __global__ void collatz(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 25) {
            int steps = 0;
            asm volatile("{\n .reg .pred p, odd;\n .reg .s32 t;\nagain_%=:\n and.b32 t, %1, 1;\n setp.ne.s32 odd, t, 0;\n@odd mad.lo.s32 %1, %1, 3, 1;\n@!odd shr.s32 %1, %1, 1;\n add.s32 %0, %0, 1;\n setp.gt.s32 p, %1, 1;\n@p bra again_%=;\n}" : "+r"(steps), "+r"(v));
            out[i] = steps;
        }
    }
}
