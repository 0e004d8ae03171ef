// The path writes at an index that wraps around in 32 bits, what follows reads at the one before the wrap.
//
// RUN: ccc --block 96
// LAUNCH: wraps 2 96 u32:250 u32:4294967295 i32[250]=below:9:1 i32[1000]=iota i32[250]=0
// LAUNCH: wraps 2 96 u32:250 u32:0 i32[250]=below:9:1 i32[1000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void wraps(unsigned n, unsigned shift, const int *__restrict__ k, int *__restrict__ a, int *__restrict__ out) {
//#CCC for
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 4) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            a[2 * i + 2 + shift] = h;
        }
        out[i] = a[2 * i + 1];
    }
}
