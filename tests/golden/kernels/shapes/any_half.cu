// As `any_around`, but each half of the warp votes by itself, with its own mask.
//
// RUN: ccc --block 96
// REFUSED: line 8: the marked loop is under divergent control flow: a branch before it differs between lanes (exchanged between lanes by vote.sync.any.pred)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int left = (threadIdx.x & 16) ? 2 : kind[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned half = (threadIdx.x & 16) ? 0xffff0000u : 0xffffu;
    while (__any_sync(half, left > 0)) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
            if (left > (i & 3)) { out[i] = out[i] * 3 + left; }
        }
        --left;
    }
}
