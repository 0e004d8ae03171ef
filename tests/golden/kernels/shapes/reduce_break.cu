// The loop is left by a break before and behind the path, and the sum is used in two places behind it.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:850 i32[850]=below:40:1 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3; bool early = false;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v == 12) break;
#CCC if
        if (v & 1) { s += v * 31; }
        if (v == 14) { early = true; break; }
    }
    if (early) out[blockIdx.x * blockDim.x + threadIdx.x] = s * 3; else out[blockIdx.x * blockDim.x + threadIdx.x] = -s;
}
