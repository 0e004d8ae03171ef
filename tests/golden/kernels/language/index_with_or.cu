// A rare branch writes one byte of a word whose 64-bit index is put together with `|`; the word is read afterwards.
//
// RUN: ccc --block 96
// LAUNCH: index_with_or 2 96 i32:1000 u32[1000]=below:65536:1 u32[1000]=0
// LAUNCH: index_with_or 1 33 i32:77 u32[1000]=below:65536:2 u32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void index_with_or(int n, unsigned *w, unsigned *__restrict__ out) {
    unsigned char *bytes = reinterpret_cast<unsigned char *>(w);
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned x = w[i];
//#CCC if
        if ((x & 7) == 3) {
            size_t at = size_t(i) << 2 | (x >> 5 & 3);
            bytes[at] = static_cast<unsigned char>(x * 77);
        }
        out[i] = w[i] * 3;
    }
}
