// A function that is not inlined writes memory before the loop, and one reads it behind.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:9:1 i32[450]=0 i32[192]=0
// EXPECT: same-memory
__noinline__ __device__ void fill(int n, int* o) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = i; }
__noinline__ __device__ int sum(int n, const int* o) { int s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s = s * 3 + o[i]; return s; }
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, int* __restrict__ sums) {
    fill(n, out);
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) { out[i] = out[i] * 3 + v; }
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum(n, out);
}
