// A kernel with a barrier cannot be made a loop of blocks.
//
// RUN: ccc --block 96
// REFUSED: line 9: the kernel cannot repeat its work for other blocks: `bar.sync` waits for other threads
// REFUSED: line 13: the marked path is in no loop that is marked with `#CCC for`, nor in one that `#CCC grid` makes
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC grid blocks(2)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (i < n) {
        int v = kind[i];
#CCC if
        if (v == 1) { out[i] = i; }
    }
}
