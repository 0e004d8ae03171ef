// The inner counter is a byte, and the bound inclusive.
//
// RUN: ccc --block 96
// LAUNCH: bytes 2 96 i32:250 u8[250]=below:200:1 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void bytes(int n, const unsigned char *__restrict__ len, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char last = len[i];
//#CCC for
        for (unsigned char e = 3; e <= last; e += 2) {
            unsigned h = (unsigned)e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[e], h);
        }
    }
}
