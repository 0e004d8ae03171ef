// Forces between pairs of bodies in boxes: pairs within reach, in an unrolled loop over neighbours.
//
// RUN: ccc --block 96 --lower-occupancy --all
// LAUNCH: forces 2 96 i32:1000 f32[1008]=rand:7 f32[4000]=0
// EXPECT: same-memory
extern "C" __global__ void forces(int n, const float *__restrict__ x, float *__restrict__ f) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float own = x[i];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            float d = x[i + j + 1] - own;
            //#CCC if
            if (fabsf(d) < 0.2f) {
                float s = 1.0f / (d * d + 0.01f);
                for (int k = 0; k < 5; ++k) s = s * d + 0.5f;
                f[4 * i + j] = s;
            }
        }
    }
}
