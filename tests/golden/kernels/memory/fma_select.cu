// A short path that the compiler turns into a selection without markers.
//
// RUN: ccc --block 96
// LAUNCH: fuse 2 96 i32:250 f32[250]=rand:1 f32[250]=rand:2 f32[250]=0
// EXPECT: same-memory
extern "C" __global__ void fuse(int n, const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float p = x[i] * y[i], r = y[i];
//#CCC if
        if (p > 0.2f) { out[i] = p + r; }
        else { out[i] = r * x[i] - p * p; }
    }
}
