// Values of the path that come from operations of a part of the warp: match, reduce and shuffle with masks of halves.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int v0 = kind[threadIdx.x];
    unsigned half = (threadIdx.x & 16) ? 0xffff0000u : 0xffffu;
    unsigned m = __match_any_sync(~0u, v0), q = __reduce_add_sync(half, v0), a = __ballot_sync(half, v0 & 1);
    int w = __shfl_sync(~0u, v0, 3, 8);
    bool all = __all_sync(half, v0 != 4);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { out[i] = m * 3 + q * 5 + a * 7 + w * 11 + (all ? i : -i); }
    }
}
