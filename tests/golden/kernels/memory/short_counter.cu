// A 16-bit loop counter.
//
// RUN: ccc --block 96
// LAUNCH: small 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void small(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (short i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
