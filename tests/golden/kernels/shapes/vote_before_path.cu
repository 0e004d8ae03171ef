// A vote in the iteration before the path, whose result the path uses.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:192 i32[1920]=below:4:1 i32[1920]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int r = 0; r < 10; ++r) {
        int i = r * n + blockIdx.x * blockDim.x + threadIdx.x;
        int v = kind[i];
        unsigned b = __ballot_sync(~0u, v & 1);
#CCC if
        if (v & 1) {
            out[i] = v + b;
        }
    }
}
