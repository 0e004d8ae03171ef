// Pixels of four channels: bright ones are recomputed, and the alpha of each is set behind that.
//
// RUN: ccc --block 96
// LAUNCH: pixels 2 96 i32:1000 f32[4000]=rand:7
// EXPECT: same-memory
extern "C" __global__ void pixels(int n, float4 *image) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 p = image[i];
        //#CCC if
        if (p.x + p.y + p.z > 2.0f) {
            p.x = sqrtf(p.x); p.y = sqrtf(p.y); p.z = p.x * p.y; p.w = 0.25f;
            image[i] = p;
        }
        image[i].w += 1.0f;
    }
}
