// Keys that need a long hash call a function that is not inlined.
//
// RUN: ccc --block 96
// REFUSED: line 15: the marked path calls
__device__ __noinline__ unsigned long long long_hash(unsigned long long x, int rounds) {
    unsigned long long table[4] = {x, ~x, x * 3, x ^ 0x55};
    for (int k = 0; k < rounds; ++k) table[(x >> k) & 3] += table[k & 3] * 0x100000001b3ull + k;
    return table[0] ^ table[1] ^ table[2] ^ table[3];
}
extern "C" __global__ void hash(int n, const unsigned long long *__restrict__ key, unsigned long long *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long k = key[i];
        //#CCC if
        if (k % 7 == 1) out[i] = long_hash(k, 5 + (int)(k & 7));
    }
}
