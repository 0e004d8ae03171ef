// Two passes of one kernel over the same data, a marked loop each, with a barrier between them.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: passes 1 96 i32:1000 u32[1000]=rand:24 u32[1000]=0 u32[64]=0
// LAUNCH: passes 1 31 i32:77 u32[1000]=rand:24 u32[1000]=0 u32[64]=0
// EXPECT: same-memory
extern "C" __global__ void passes(int n, const unsigned int *__restrict__ in, unsigned int *out, unsigned int *count) {
    if (blockIdx.x) return;
    //#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned int x = in[i];
        //#CCC if
        if (x & 0x10) { for (int k = 0; k < 5; ++k) x = x * 7 + k; out[i] = x; }
    }
    __syncthreads();
    //#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned int x = out[n - 1 - i];
        //#CCC if
        if (x % 4 == 3) { for (int k = 0; k < 5; ++k) x ^= x >> 3, x += k; atomicAdd(&count[x & 63], 1u); }
    }
}
