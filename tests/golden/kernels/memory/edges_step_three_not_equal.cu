// Inner ranges with a step of three that end by `!=`, with 64-bit counters.
//
// RUN: ccc --block 96
// LAUNCH: three 2 96 i32:250 i32[250]=below:40:1 i32[250]=below:30:2 u32[250]=0
// EXPECT: same-memory
extern "C" __global__ void three(int n, const int *__restrict__ first, const int *__restrict__ len, unsigned *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        long long lo = first[i], hi = lo + 3ll * len[i];
//#CCC for
        for (long long e = lo; e != hi; e += 3) {
            unsigned h = (unsigned)e + i;
            for (int j = 0; j < 4; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&out[e], h);
        }
    }
}
