// Paths fill shared memory; behind the loop and a barrier, other threads read it; the next round overwrites it.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ int s[256];
    for (int r = 0; r < 3; ++r) {
        for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = -i;
        __syncthreads();
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == r) {
                s[n - 1 - i] = v * i + r;
            }
        }
        __syncthreads();
        if (blockIdx.x == 0) for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = out[i] * 3 + s[i];
        __syncthreads();
    }
}
