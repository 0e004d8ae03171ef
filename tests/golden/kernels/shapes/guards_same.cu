// Two instructions write a register under guards of which both may be false, and one of two reads it first: it keeps the value of an earlier iteration.
//
// RUN: ccc --block 96
// REFUSED: line 15: a value that the marked path computes (register `t`) is used after it
// REFUSED: line 30: a value that the marked path computes (register `t`) is used after it
extern "C" __global__ void one(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int x;
            // The guard has another value by then.
            asm volatile("{\n .reg .pred p;\n .reg .b32 t;\n setp.gt.s32 p, %1, 20;\n @p mov.b32 t, 5;\n setp.gt.s32 p, %1, 10;\n @!p mov.b32 t, 9;\n"
                         " add.s32 %0, t, %1;\n}" : "=r"(x) : "r"(v));
            out[i] = x;
        }
    }
}

extern "C" __global__ void two(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int x;
            // All lanes read it in between.
            asm volatile("{\n .reg .pred p;\n .reg .b32 t, u;\n setp.gt.s32 p, %1, 20;\n @p mov.b32 t, 5;\n mov.b32 u, t;\n @!p mov.b32 t, 9;\n"
                         " add.s32 %0, t, u;\n}" : "=r"(x) : "r"(v));
            out[i] = x;
        }
    }
}
