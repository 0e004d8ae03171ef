// The marked loop in a divergent if by data, with code behind it.
//
// RUN: ccc --block 96
// REFUSED: line 6: the marked loop is under divergent control flow: a branch before it differs between lanes (loaded by ld.global.nc.u32)
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    if (kind[threadIdx.x] & 1) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int v = kind[i];
#CCC if
            if (v & 1) {
                out[i] = v * i;
            }
        }
    }
    atomicAdd(&out[threadIdx.x], 1);
}
