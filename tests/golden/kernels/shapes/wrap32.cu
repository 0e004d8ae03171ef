// The path's index wraps around in 32 bits, the rest's is computed in 64 bits; both are the same element although their offsets differ.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 u32:4294963200 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, unsigned big, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        unsigned t = (unsigned)i + big;
#CCC if
        if (v == 1) {
            a[t + 0x1000u] = i * 7 + v;
        }
        long long u = t;
        out[i] = a[u - 0xfffff000LL] * 3;
    }
}
