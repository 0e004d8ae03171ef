// The classic unsigned descending loop, `e-- > begin`.
//
// RUN: ccc --block 96
// LAUNCH: down 2 96 i32:250 u32[250]=below:40:1 u32[250]=below:90:2 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void down(int n, const unsigned *__restrict__ first, const unsigned *__restrict__ len, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned lo = first[i], hi = lo + len[i];
//#CCC for
        for (unsigned e = hi; e-- > lo;) {
            unsigned h = e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[e], h);
        }
    }
}
