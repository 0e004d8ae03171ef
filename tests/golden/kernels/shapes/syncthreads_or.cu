// A loop around the marked one that goes on while __syncthreads_or says so.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (exchanged between lanes by bar.red.or.pred)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int left = kind[blockIdx.x * blockDim.x + threadIdx.x];
    while (__syncthreads_or(left > 0)) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
            if (left > (i & 3)) { out[i] = out[i] * 3 + left; }
        }
        --left;
    }
}
