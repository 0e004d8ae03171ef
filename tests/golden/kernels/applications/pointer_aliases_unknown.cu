// A relaxation of values in two arrays of which nobody says that they are different.
//
// RUN: ccc --block 96
// LAUNCH: relax 2 96 i32:1000 f32[1000]=rand:15 f32[1000]=0 f32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void relax(int n, const float *a, float *b, float *c) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = a[i];
        //#CCC if
        if (x > 0.75f) {
            for (int k = 0; k < 9; ++k) x = sqrtf(x) * 0.99f;
            b[i] = x;
        }
        c[i] = a[i] + 2.0f;
    }
}
