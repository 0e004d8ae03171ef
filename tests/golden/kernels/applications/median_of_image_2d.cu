// A grid-stride loop over pixels by rows and columns, where edges of an image are sharpened.
//
// RUN: ccc --block 96
// LAUNCH: sharpen 2 96 i32:1000 u8[1000]=rand:8 u8[1000]=0
// EXPECT: same-memory
extern "C" __global__ void sharpen(int n, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
    const int width = 25;
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    int all = blockDim.x * blockDim.y;
    //#CCC for
    for (int p = blockIdx.x * all + t; p < n; p += gridDim.x * all) {
        int x = p % width, y = p / width;
        if (x == 0 || y == 0 || x == width - 1 || p + width >= n) { out[p] = in[p]; continue; }
        int gx = in[p + 1] - in[p - 1], gy = in[p + width] - in[p - width];
        //#CCC if
        if (gx * gx + gy * gy > 40000) {
            int sum = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) sum += (dx | dy ? -1 : 9) * in[p + dy * width + dx];
            out[p] = min(max(sum, 0), 255);
        }
    }
}
