// Values of the context are redefined in the rest before the path's copy of them is used, twice.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ counts) {
    unsigned x = 1, y = threadIdx.x, z = 7;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        x = x * 1664525u + 1013904223u;
#CCC if
        if (v == 1) {
            unsigned s = x ^ y;
            for (int j = 0; j < (int)(z & 7); ++j) s = s * 31 + y;
            out[i] = s + z;
        }
        unsigned t = x; x = y; y = z + t; z = t ^ (x << 3);
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z;
}
