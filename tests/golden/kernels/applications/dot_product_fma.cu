// Dot products of rare rows: the sum is folded by a multiplication and an addition in one.
//
// RUN: ccc --block 96
// LAUNCH: dot 2 96 i32:1000 i32[1000]=rand:3 f32[288]=0
// EXPECT: same-memory
extern "C" __global__ void dot(int n, const int *__restrict__ in, float *__restrict__ out) {
    float sum = 0.0f;
    //#CCC for reduce(+:sum)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        //#CCC if
        if ((v & 6) == 2) {
            float a = (v >> 8) & 31, b = (v >> 16) & 31;
            sum += a * b;
            sum += a + 3.0f * b;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
