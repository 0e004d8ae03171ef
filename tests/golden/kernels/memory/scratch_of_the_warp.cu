// All lanes of a warp share one accumulator in shared memory, to which the path adds atomically and which is read behind the loop.
//
// RUN: ccc --block 96
// LAUNCH: sums 2 96 i32:900 i32[900]=below:9:1 i32[6]=0
// EXPECT: same-memory
extern "C" __global__ void sums(int n, const int *__restrict__ k, int *__restrict__ out) {
    __shared__ int sum[3];
    if (threadIdx.x < 3) sum[threadIdx.x] = 0;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + j;
            atomicAdd(&sum[threadIdx.x / 32], h & 1023);
        }
    }
    __syncthreads();
    if (threadIdx.x < 3 && threadIdx.x < (blockDim.x + 31) / 32) out[blockIdx.x * 3 + threadIdx.x] = sum[threadIdx.x];
}
