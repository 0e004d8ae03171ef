// Rays against one sphere: the few that hit are shaded, with vectors of four floats.
//
// RUN: ccc --block 96
// LAUNCH: shade 2 96 i32:1000 f32[4000]=rand:3 f32[4000]=0
// EXPECT: same-memory
extern "C" __global__ void shade(int n, const float4 *__restrict__ direction, float4 *__restrict__ colour) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 d = direction[i];
        float b = d.x * 0.3f + d.y * 0.9f - d.z * 0.5f;
        float c = d.w + 0.2f;
        float disc = b * b - c;
        //#CCC if
        if (disc > 0.0f) {
            float t = b - sqrtf(disc);
            float nx = d.x * t, ny = d.y * t, nz = d.z * t;
            float len = rsqrtf(nx * nx + ny * ny + nz * nz + 1e-6f);
            colour[i] = make_float4(nx * len, ny * len, nz * len, t);
        }
    }
}
