// The inner counter begins just below 2^32 and ends before it.
//
// RUN: ccc --block 96
// LAUNCH: wrap 2 96 i32:250 u32[250]=below:200:1 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void wrap(int n, const unsigned *__restrict__ len, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned first = ~len[i];
//#CCC for
        for (unsigned e = first; e < 0xffffffffu; ++e) {
            unsigned h = e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[~e], h);
        }
    }
}
