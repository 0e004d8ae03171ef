// A break out of an outer uniform loop by a loaded value that is the same for all lanes.
//
// RUN: ccc --block 96
// REFUSED: line 7: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.global.nc.u32)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, const int* __restrict__ stop) {
    for (int r = 0; r < 20; ++r) {
        if (stop[r] == 5) break;
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == (r & 3)) {
                out[i] += v * i + r;
            }
        }
    }
}
