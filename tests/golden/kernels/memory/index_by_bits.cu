// The path writes at an index made by shifts and ors, what follows reads at the same place by multiplication and addition.
//
// RUN: ccc --block 96
// LAUNCH: bits 2 96 u32:250 i32[250]=below:9:1 i32[1000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void bits(unsigned n, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned c = k[i] & 3;
//#CCC if
        if (k[i] > 4) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[(i << 2) | c] = h;
        }
        out[i] = a[i * 4 + c] ^ a[i * 4 + 3 - c];
    }
}
