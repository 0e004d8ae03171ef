// Static shared memory near 48 KiB leaves no room for stacks of the second path.
//
// RUN: ccc --block 256
// LAUNCH: k 1 256 i32:1000 i32[1000]=below:4:1 i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ int s[11600];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i * 11] = i;
    __syncthreads();
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            out[i] = s[i * 11] * 3 + v;
        }
#CCC if
        else if (v == 2) {
            out[i] = s[i * 11] * 5 - i;
        }
    }
}
