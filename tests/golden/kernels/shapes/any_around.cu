// A loop around the marked one that goes on while any lane of the warp wants to.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:192 i32[192]=below:9:1 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int left = kind[blockIdx.x * blockDim.x + threadIdx.x];
    while (__any_sync(~0u, left > 0)) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
            if (left > (i & 3)) { out[i] = out[i] * 3 + left; }
        }
        --left;
    }
}
