// Edit distance of words by a banded loop that gives up early, one word per task.
//
// RUN: ccc --block 96
// LAUNCH: distance 2 96 i32:1000 u8[1040]=rand:17 u8[1040]=rand:18 u8[1000]=0
// EXPECT: same-memory
extern "C" __global__ void distance(int n, const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, unsigned char *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int miss = 0, k = 0, shift = 0;
        //#CCC while
        while (k < 32) {
            unsigned char x = a[i + k] & 3, y = b[i + k - shift + (k < shift ? shift : 0)] & 3;
            ++k;
            if (x == y) continue;
            if (++miss > 9) break;
            if (miss % 3 == 0) shift = (shift + 1) & 7;
        }
        out[i] = (unsigned char)(miss * 16 + (k & 15));
    }
}
