// Floats whose bits are patched as integers behind the branch that writes them.
//
// RUN: ccc --block 96
// LAUNCH: patch 2 96 i32:1000 f32[1000]=rand:6
// EXPECT: same-memory
extern "C" __global__ void patch(int n, float *x) {
    unsigned int *bits = (unsigned int *)x;
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        //#CCC if
        if (x[i] < 0.2f) {
            float y = x[i];
            for (int k = 0; k < 7; ++k) y = y * 1.5f + 0.01f;
            x[i] = y;
        }
        bits[i] ^= 0x80000000u;
    }
}
