// A shuffle in the rest of the iteration.
//
// RUN: ccc --block 96
// REFUSED: line 13: `shfl.sync.bfly.b32` in or before the marked loop would wait for lanes that the rewritten loop keeps elsewhere
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ more) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            out[i] = v;
        }
        more[i] = __shfl_xor_sync(~0u, v, 1);
    }
}
