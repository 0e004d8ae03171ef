// A rare branch writes one byte of a word; the word is read and folded afterwards.
//
// RUN: ccc --block 96
// LAUNCH: bytes_then_word 2 96 i32:1000 u32[1000]=below:65536:1 u32[1000]=0
// LAUNCH: bytes_then_word 1 33 i32:77 u32[1000]=below:65536:2 u32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void bytes_then_word(int n, unsigned *w, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = w[i];
        unsigned char *b = reinterpret_cast<unsigned char *>(w) + 4 * i;
//#CCC if
        if ((x & 7) == 3) {
            unsigned h = x;
            for (unsigned k = 0; k < (x & 15); ++k) h = h * 31 + k;
            b[h & 3] = static_cast<unsigned char>(h >> 8);
        }
        out[i] = w[i] * 3;
    }
}
