// Scan lines of triangles: pixels of a line are independent, and long lines are shared.
//
// RUN: ccc --block 96
// LAUNCH: lines 2 96 i32:1000 u8[1000]=rand:19 f32[64000]=0
// EXPECT: same-memory
extern "C" __global__ void lines(int n, const unsigned char *__restrict__ in, float *__restrict__ image) {
    //#CCC for
    for (int y = blockIdx.x * blockDim.x + threadIdx.x; y < n; y += gridDim.x * blockDim.x) {
        int from = in[y] & 15, to = in[y] > 200 ? 64 : from + (in[y] & 3);
        float depth = y * 0.01f, slope = 1.0f / (1.0f + to - from);
        //#CCC for
        for (int x = from; x < to; ++x) {
            float d = depth + slope * (x - from);
            if (d > 9.0f) continue;
            image[64 * y + x] = d;
        }
    }
}
