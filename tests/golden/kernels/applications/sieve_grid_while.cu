// Smallest factors of numbers, one number per thread, run by blocks that stay.
//
// RUN: ccc --block 96
// LAUNCH: factor 11 96 u32:1000 u32[1056]=0
// LAUNCH: factor 4 31 u32:77 u32[1056]=0
// LAUNCH: factor 1 1 u32:5 u32[1056]=0
// EXPECT: same-memory
extern "C" __global__ void factor(unsigned int n, unsigned int *out) {
    //#CCC grid blocks(2)
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int number = 2 * i + 3, f = 3;
    //#CCC while
    while (f * f <= number && number % f) f += 2;
    out[i] = f * f <= number ? f : number;
}
