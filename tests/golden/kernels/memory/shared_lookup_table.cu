// A look-up table in shared memory is filled before the loop by the whole block; the path reads it by data.
//
// RUN: ccc --block 96
// LAUNCH: lut 2 96 i32:250 i32[250]=below:16:1 i32[64]=below:100:2 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void lut(int n, const int *pick, const int *values, int *out) {
    __shared__ int table[64];
    for (int j = threadIdx.x; j < 64; j += blockDim.x) table[j] = values[j];
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int p = pick[i];
//#CCC if
        if (p > 9) {
            int h = p;
            for (int j = 0; j < 9; ++j) h = h * 33 + table[(h >> 2) & 63];
            out[i] = h;
        }
    }
}
