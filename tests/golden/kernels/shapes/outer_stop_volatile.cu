// The outer loop's condition is a volatile load that lanes read at different times, of a word that paths change.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.volatile.global.u32)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, volatile int* stop) {
    int r = 0;
    while (*stop < 5 && r < 9) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int v = kind[i];
#CCC if independent
            if (v == (r & 3)) {
                out[i] += v * i + r;
            }
        }
        ++r;
    }
}
