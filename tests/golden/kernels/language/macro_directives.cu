// The loop, its directive and the branch come from macros.
//
// RUN: ccc --block 96
// LAUNCH: macro_directives 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: macro_directives 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

#define GRID_STRIDE(i, n) \
    _Pragma("CCC for") \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += gridDim.x * blockDim.x)
#define RARELY(condition) _Pragma("CCC if") if (condition)

extern "C" __global__ void macro_directives(int n, const int *__restrict__ in, int *__restrict__ out) {
    GRID_STRIDE(i, n) {
        RARELY(in[i] > 30) {
            int h = i;
            for (int k = 0; k < in[i]; ++k) h = h * 48271 + k;
            out[i] = h;
        } else
            out[i] = -1;
    }
}
