// Loops with several counters and commas, without a body in braces, with a condition that declares, and a pointer loop.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int i, j;
#CCC for
    for (i = blockIdx.x * blockDim.x + threadIdx.x, j = 0; i < n && j < 1000; i += gridDim.x * blockDim.x, ++j)
#CCC if
        if (kind[i] & 1) out[i] = j * 3 + i;
    const int* p = kind + blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (; p < kind + n; p += gridDim.x * blockDim.x) {
#CCC if
        if (*p == 2) out[p - kind] += j;
    }
}
