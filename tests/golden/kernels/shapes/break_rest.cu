// The loop has a second exit, a break behind the path.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:950 i32[950]=below:20:1 i32[950]=0 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ last) {
    int i;
#CCC for
    for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
        }
        if (v > 17) break;
    }
    last[blockIdx.x * blockDim.x + threadIdx.x] = i;
}
