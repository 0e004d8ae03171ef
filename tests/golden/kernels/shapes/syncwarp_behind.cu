// Behind the loop, lanes exchange what their paths wrote through shared memory with __syncwarp alone.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:192 i32[192]=below:4:1 i32[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    __shared__ int s[96];
    s[threadIdx.x] = 0;
    __syncwarp();
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            atomicAdd(&s[threadIdx.x], v * i);
        }
    }
    __syncwarp();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x ^ 1];
}
