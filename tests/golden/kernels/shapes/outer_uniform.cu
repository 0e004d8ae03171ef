// A loop around the marked one that all lanes run equally often; the paths use its counter, and what they write is read in the next round.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0 i32[250]=iota
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ a) {
    for (int r = 0; r < 4; ++r) {
#CCC for
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
            if (kind[i] == r) {
                a[i] = a[i] * 3 + r;
            }
            out[i] += r * 5;
        }
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { out[i] += a[i]; a[i] ^= out[i]; }
    }
}
