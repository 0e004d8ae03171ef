// All lanes of a warp count in one shared word of the warp in the path, without atomics, each for itself in turn: a word that iterations share.
//
// RUN: ccc --block 96
// REFUSED: line 12: the load of `counts` at line 12 of the marked path and the store to `counts` at line 12 are to one place in all iterations of a thread, and the path would run when a later iteration has come there
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ counts) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            counts[t] += v;
            out[i] = v * 3;
        }
    }
}
