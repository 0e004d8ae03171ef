// A ternary with side effects that contains no block, and a marked if whose body is one statement without braces.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:12:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#CCC if
        if (kind[i] & 1) out[i] = (kind[i] & 2) ? atomicAdd(&out[i], 3) + 1 : out[i] * 2 - 1;
        else if (kind[i] == 2) out[i] = 9;
}
