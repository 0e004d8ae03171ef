// The path writes a byte of a word, what follows reads the whole word, and then another word.
//
// RUN: ccc --block 96
// LAUNCH: mixed 2 96 i32:250 i32[250]=below:4:1 u8[1000]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void mixed(int n, const int *__restrict__ k, unsigned char *__restrict__ text, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            unsigned h = text[4 * i];
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            text[4 * i + 3] = (unsigned char)h;
        }
        out[i] = *(const unsigned *)(text + 4 * i);
    }
}
