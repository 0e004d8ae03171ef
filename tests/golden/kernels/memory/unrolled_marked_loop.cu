// The marked loop is also asked to be unrolled four times.
//
// RUN: ccc --block 96
// LAUNCH: unrolled 2 96 i32:900 i32[900]=below:9:1 i32[900]=0
// EXPECT: same-memory
extern "C" __global__ void unrolled(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
