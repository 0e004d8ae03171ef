// A register of inlined assembly is told as it is written there, without the `%` that it gets in the rewritten kernel.
//
// RUN: ccc --block 64
// REFUSED: line 9: register `t` may be read before it is written
// REFUSED: line 14: the marked path is in no loop

extern "C" __global__ void unwritten(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    // The directive.
#CCC grid
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i], r;
#CCC if
    if (v % 3 == 0) {
        asm volatile("{ .reg .u32 t; .reg .pred p; setp.gt.u32 p, %1, 7; @p mov.u32 t, 5; add.u32 %0, t, %1; }" : "=r"(r) : "r"(v));
        out[i] = r;
    }
}
