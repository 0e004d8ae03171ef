// A scan that stops at a stop mark, with rare records on the way; the mark is not in the branch.
//
// RUN: ccc --block 96
// LAUNCH: scan 2 96 i32:1000 u8[8000]=rand:14 u32[8000]=0 i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void scan(int n, const unsigned char *__restrict__ in, unsigned int *__restrict__ out, int *__restrict__ last) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t * 8 >= n) return;
    int k = 8 * t;
    //#CCC for
    for (; k < 8 * t + 30; ++k) {
        unsigned char c = in[k % 8000];
        if (c > 245) break;
        //#CCC if
        if ((c & 7) == 2) {
            unsigned int x = c;
            for (int r = 0; r < 6; ++r) x = x * 131 + r;
            atomicAdd(&out[k % 8000], x);
        }
    }
    last[t] = k;
}
