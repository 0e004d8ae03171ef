// Classes of characters of a text, each counted in a way of its own.
//
// RUN: ccc --block 96
// LAUNCH: classify 2 96 i32:1000 u8[1000]=rand:4 u8[1000]=0 i32[4]=0
// EXPECT: same-memory
extern "C" __global__ void classify(int n, const unsigned char *text, unsigned char *kind, int *counts) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char c = text[i];
        switch (c >> 5) {
        //#CCC case independent
        case 1: {
            unsigned char k = 1;
            for (int b = 0; b < c % 7; ++b) k = k * 3 + b;
            kind[i] = k;
            atomicAdd(&counts[0], 1);
            break;
        }
        //#CCC case independent
        case 2:
        case 3: {
            kind[i] = c ^ 0x20;
            atomicAdd(&counts[1], c);
            break;
        }
        case 4:
            kind[i] = 9;
            break;
        default:
            atomicMax(&counts[3], c);
        }
    }
}
