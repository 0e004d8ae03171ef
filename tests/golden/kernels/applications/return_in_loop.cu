// Validation that gives up its thread at the first broken row, outside of the marked branch.
//
// RUN: ccc --block 96
// LAUNCH: validate 2 96 i32:1000 u16[1000]=rand:15 u32[1000]=0 u32[1]=0
// EXPECT: same-memory
extern "C" __global__ void validate(int n, const unsigned short *__restrict__ in, unsigned int *__restrict__ out, unsigned int *__restrict__ good) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned short v = in[i];
        if (v > 60000) return;
        //#CCC if
        if (v < 8000) {
            unsigned int x = v;
            for (int k = 0; k < 7; ++k) x = x * 37 + k;
            out[i] = x;
        }
    }
    atomicAdd(good, 1u);
}
