// A loop that counts in one byte, and whose marked branch uses the wide index beside it.
//
// RUN: ccc --block 96
// LAUNCH: wrap 2 96 i32:1000 u8[1000]=rand:21 u64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void wrap(int n, const unsigned char *__restrict__ in, unsigned long long *__restrict__ out) {
    unsigned long long t = blockIdx.x * blockDim.x + threadIdx.x;
    //#CCC for
    for (unsigned char b = 0; b < 5; ++b) {
        unsigned long long at = t * 5 + b;
        if (at >= n) continue;
        signed char c = (signed char)in[at];
        //#CCC if
        if (c < -60) {
            unsigned long long x = at << 32 | (unsigned char)c;
            for (signed char k = 0; k < 5; ++k) x = x * 1000003ull ^ (b + k);
            out[at] = x;
        }
    }
}
