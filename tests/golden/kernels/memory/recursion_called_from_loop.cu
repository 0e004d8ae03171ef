// The mark stands above the first call of a function that calls itself as its last act.
//
// RUN: ccc --block 96
// LAUNCH: gcds 2 96 i32:250 u32[250]=below:100000:1 u32[250]=below:100000:2 u32[250]=0
// EXPECT: same-memory
__device__ unsigned gcd(unsigned a, unsigned b) {
    return b == 0 ? a : gcd(b, a % b);
}
extern "C" __global__ void gcds(int n, const unsigned *__restrict__ a, const unsigned *__restrict__ b, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC recursive
        unsigned g = gcd(a[i], b[i]);
        out[i] = g;
    }
}
