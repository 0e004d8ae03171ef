// The trip count around the marked loop comes from a shuffle of width 16, and so differs between the halves of a warp.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (exchanged between lanes by shfl.sync.idx.b32)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int times = __shfl_sync(~0u, kind[blockIdx.x * blockDim.x + threadIdx.x], 0, 16);
    for (int r = 0; r < times; ++r) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
            if (r > (i & 3)) { out[i] = out[i] * 3 + r; }
        }
    }
}
