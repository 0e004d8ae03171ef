// A sum of floats begins as minus zero, and stays that where no item takes the path.
//
// RUN: ccc --block 96
// LAUNCH: total 2 96 i32:300 i32[300]=below:9:1 f32[192]=0
// EXPECT: same-memory
extern "C" __global__ void total(int n, const int *__restrict__ k, float *__restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = -0.0f;
//#CCC for reduce(+:sum)
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 6) {
            int x = k[i];
            for (int j = 0; j < 9; ++j) x = x * 3 + j;
            sum += (float)(x & 255);
        }
    }
    out[t] = sum;
}
