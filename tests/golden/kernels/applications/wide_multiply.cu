// Residues of products of 128 bits, for the candidates that pass a small sieve.
//
// RUN: ccc --block 96
// LAUNCH: residues 2 96 i32:1000 u64[1000]=rand:21 u64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void residues(int n, const unsigned long long *__restrict__ in, unsigned long long *__restrict__ out) {
    const unsigned long long p = 0xffffffff00000001ull;
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long x = in[i];
        unsigned long long hi = __umul64hi(x, x), lo = x * x;
        //#CCC if
        if (x % 3 && x % 5 && x % 7 && x % 11) {
            unsigned __int128 square = (unsigned __int128)hi << 64 | lo;
            unsigned long long r = (unsigned long long)(square >> 61) + (unsigned long long)(square & ((1ull << 61) - 1));
            for (int k = 0; k < 3; ++k) r = __umul64hi(r, p) ^ (r * 5);
            out[i] = r;
        }
    }
}
