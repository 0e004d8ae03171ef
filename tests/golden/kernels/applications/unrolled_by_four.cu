// A sparse product whose marked loop asks to be unrolled.
//
// RUN: ccc --block 96
// LAUNCH: product 2 96 i32:1000 u32[1000]=rand:12 u32[1000]=0
// EXPECT: same-memory
template <int Rounds> __device__ unsigned int mix(unsigned int x) {
#pragma unroll
    for (int k = 0; k < Rounds; ++k) x = (x << 5 | x >> 27) * 0xcc9e2d51u;
    return x;
}
extern "C" __global__ void product(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    //#CCC for
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i];
        //#CCC if
        if (x % 13 < 3) out[i] = mix<6>(x);
        else out[i] = 1;
    }
}
