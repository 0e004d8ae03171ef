// Indices are truncated to a byte, so that what looks one element apart is the same element in a ring of 256.
//
// RUN: ccc --block 96
// LAUNCH: ring 2 96 u32:250 u32:256 i32[250]=below:9:1 i32[512]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void ring(unsigned n, unsigned turn, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 4) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[(unsigned char)(i + turn + 1)] = h;
        }
        out[i] = a[(unsigned char)(i + 1)];
    }
}
