// A block per row, and a barrier per row: the loop around the marked one is the same for the whole block.
//
// RUN: ccc --block 96
// LAUNCH: blocks 2 96 i32:20 i32[2000]=below:4:1 i32[2000]=0 i32[20]=0
// EXPECT: same-memory
extern "C" __global__ void blocks(int n, const int *__restrict__ k, int *__restrict__ out, int *__restrict__ sums) {
    __shared__ int sum;
    for (int row = blockIdx.x; row < n; row += gridDim.x) {
        if (threadIdx.x == 0) sum = 0;
        __syncthreads();
//#CCC for
        for (int i = threadIdx.x; i < 100; i += blockDim.x) {
//#CCC if
            if (k[100 * row + i] == 3) {
                int h = i;
                for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
                out[100 * row + i] = h;
                atomicAdd(&sum, h);
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) sums[row] = sum;
        __syncthreads();
    }
}
