// A loop with an int and a long counter and one that doubles, all of them used in the path and changed behind it.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i64[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, long long* __restrict__ out) {
    long long l = threadIdx.x; unsigned char b = threadIdx.x; float f = threadIdx.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            long long s = l;
            for (int j = 0; j < (b & 3) + 1; ++j) s = s * 31 + (int)f;
            out[i] = s + b;
        }
        l = l * 2 + 1; b += 77; f = f * 1.5f + 1;
    }
}
