// Elimination in a dense block per item: the path writes the row, what follows reads the diagonal, whose index is computed differently.
//
// RUN: ccc --block 96
// LAUNCH: eliminate 2 96 i32:60 i32[60]=below:9:1 f32[3600]=rand:2 f32[60]=0
// EXPECT: same-memory
extern "C" __global__ void eliminate(int n, const int *__restrict__ k, float *__restrict__ m, float *__restrict__ diag) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 4) {
            float f = m[i * n] * 0.5f;
            for (int j = 0; j < n; ++j) m[i * n + j] = m[i * n + j] * f + 0.25f;
        }
        diag[i] = m[i * (n + 1)];
    }
}
