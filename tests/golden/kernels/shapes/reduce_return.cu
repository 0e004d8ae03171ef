// Lanes return in the rest of an iteration: their sums are written before.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3;
#CCC for reduce(+:s)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v == 12) { out[blockIdx.x * blockDim.x + threadIdx.x] = -7; return; }
#CCC if
        if (v & 1) { s += v * 31; }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
