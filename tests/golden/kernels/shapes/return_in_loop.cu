// Lanes return in the middle of an iteration, in the rest and in the path.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:950 i32[950]=below:20:1 i32[950]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v == 19) return;
#CCC if
        if (v & 1) {
            int s = i;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + j;
            out[i] = s;
        }
    }
}
