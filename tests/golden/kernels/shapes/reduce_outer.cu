// The loop with a sum lies in a uniform loop, and its sum goes on from round to round.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:40:1 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int s = 3;
    for (int r = 0; r < 3; ++r) {
#CCC for reduce(+:s)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            int v = kind[i] + r;
#CCC if
            if (v & 1) { s += v * 31; }
        }
        s = s * 3 + r;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
