// The path stores a float2 at the beginning of a row of four, what follows updates the other two.
//
// RUN: ccc --block 96
// LAUNCH: pair 2 96 i32:250 i32[250]=below:4:1 f32[1000]=rand:2
// EXPECT: same-memory
extern "C" __global__ void pair(int n, const int *__restrict__ k, float *q) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            float2 v = ((const float2 *)q)[2 * i];
            for (int j = 0; j < 9; ++j) { v.x = v.x * 0.5f + v.y; v.y = v.y * 0.25f + v.x; }
            ((float2 *)q)[2 * i] = v;
        }
        q[4 * i + 2] += 1.0f;
        q[4 * i + 3] *= 2.0f;
    }
}
