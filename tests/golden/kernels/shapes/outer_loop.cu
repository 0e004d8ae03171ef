// A loop around the marked one that lanes run differently often, by a loaded number.
//
// RUN: ccc --block 96
// REFUSED: line 8: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.global.nc.u32)
extern "C" __global__ void k(int n, const int* __restrict__ times, int* __restrict__ out, const int* __restrict__ kind) {
    int t = threadIdx.x;
    int m = times[t];
    for (int r = 0; r < m; ++r) {
#CCC for
    for (int i = 0; i < 3; ++i) {
#CCC if
        if (kind[t * 3 + i] == r) {
            atomicAdd(&out[t], r * 10 + i);
        }
    }
    }
}
