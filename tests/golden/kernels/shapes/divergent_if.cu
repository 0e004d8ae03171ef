// The marked loop in a divergent if by data, with code behind it.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:500 i32[500]=below:40:1 i32[500]=0
// EXPECT: same-memory
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
