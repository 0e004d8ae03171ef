// Proof of work: nonces whose short hash begins with zeros get the full hash.
//
// RUN: ccc --block 96
// LAUNCH: mine 2 96 u32:1000 u32[8]=rand:12 u32[1]=4294967295 u32[4000]=0
// LAUNCH: mine 1 33 u32:77 u32[8]=rand:12 u32[1]=4294967295 u32[4000]=0
// EXPECT: same-memory
__device__ __forceinline__ unsigned int rotate(unsigned int x, int k) { return x >> k | x << (32 - k); }
extern "C" __global__ void mine(unsigned int n, const unsigned int *__restrict__ header, unsigned int *__restrict__ first, unsigned int *__restrict__ digest) {
    //#CCC for
    for (unsigned int nonce = blockIdx.x * blockDim.x + threadIdx.x; nonce < n; nonce += gridDim.x * blockDim.x) {
        unsigned int a = header[0] ^ nonce, b = header[1] + nonce * 0x9e3779b9u;
        for (int r = 0; r < 4; ++r) { a += rotate(b, 7) ^ header[r]; b ^= rotate(a, 11) + r; }
        //#CCC if
        if (a >> 28 == 0) {
            unsigned int w[4] = {a, b, a ^ b, nonce};
#pragma unroll
            for (int r = 0; r < 16; ++r) {
                unsigned int t = rotate(w[r & 3], 6) ^ rotate(w[(r + 1) & 3], 13);
                w[(r + 2) & 3] += t + header[r & 7];
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) digest[4 * nonce + k] = w[k];
            atomicMin(first, nonce);
        }
    }
}
