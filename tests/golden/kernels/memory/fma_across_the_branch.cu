// A product is computed before the branch and added to within it, so that the compiler may or may not fuse the two.
//
// RUN: ccc --block 96
// LAUNCH: fuse 2 96 i32:250 f32[250]=rand:1 f32[250]=rand:2 f32[250]=0 f32[250]=0
// EXPECT: same-memory
extern "C" __global__ void fuse(int n, const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out, float *__restrict__ prod) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float p = x[i] * y[i];
        float q = x[i] * 0.3f;
//#CCC if
        if (p > 0.2f) out[i] = p + y[i] * 0.7f + q;
        prod[i] = p - q;
    }
}
