// A value that is read from the clock before the path, and one in it, used so that memory does not depend on it.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        long long c = clock64();
#CCC if
        if (v & 1) {
            long long d = clock64();
            out[i] = (d >= c) + v * i;
        }
    }
}
