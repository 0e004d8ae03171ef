// Each thread has a row of a matrix; threads behind the last row return before the loop.
//
// RUN: ccc --block 96
// LAUNCH: matrix 2 96 i32:1000 f32[20000]=0
// EXPECT: same-memory
extern "C" __global__ void matrix(int n, float *m) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = n / 10;
    if (row >= rows) return;
    //#CCC for
    for (int c = 0; c < 20; ++c) {
        float x = row * 0.25f + c;
        //#CCC if
        if ((row * 7 + c * 3) % 10 == 0) {
            for (int k = 0; k < 6; ++k) x = x / (1.0f + x) + 0.5f;
            m[row * 20 + c] = x;
        }
    }
}
