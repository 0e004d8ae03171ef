// Code points of a text in UTF-8: bytes that begin a longer sequence read on.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: decode 2 96 i32:1000 u8[1004]=rand:11 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void decode(int n, const unsigned char *text, unsigned int *point) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char c = text[i];
        if (c < 0x80) point[i] = c;
        //#CCC if independent
        else if ((c & 0xe0) == 0xc0) point[i] = (c & 0x1f) << 6 | (text[i + 1] & 0x3f);
        //#CCC if independent
        else if ((c & 0xf0) == 0xe0) {
            unsigned int p = c & 0xf;
            for (int k = 1; k < 3; ++k) p = p << 6 | (text[i + k] & 0x3f);
            point[i] = p;
        }
    }
}
