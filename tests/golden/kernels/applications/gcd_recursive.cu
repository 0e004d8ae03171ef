// Greatest common divisors by a function that calls itself.
//
// RUN: ccc --block 96
// LAUNCH: divisors 2 96 i32:1000 u32[1000]=rand:15 u32[1000]=0
// EXPECT: same-memory
__device__ void gcd(unsigned int a, unsigned int b, unsigned int *out) {
    if (b == 0) { *out = a; return; }
    gcd(b, a % b, out);
}
extern "C" __global__ void divisors(int n, const unsigned int *__restrict__ number, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = number[i];
        //#CCC recursive
        gcd(x & 0xffff, x >> 16, &out[i]);
    }
}
