// The path stores a float4, what follows reads its last component as a float.
//
// RUN: ccc --block 96
// LAUNCH: quad 2 96 i32:250 i32[250]=below:4:1 f32[1000]=rand:2 f32[250]=0
// EXPECT: same-memory
extern "C" __global__ void quad(int n, const int *__restrict__ k, float *__restrict__ q, float *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            float4 v = ((const float4 *)q)[i];
            for (int j = 0; j < 9; ++j) { v.x = v.x * 0.5f + v.w; v.w = v.w * 0.25f + v.y; }
            ((float4 *)q)[i] = v;
        }
        out[i] = q[4 * i + 3];
    }
}
