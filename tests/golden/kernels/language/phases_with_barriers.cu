// Two marked loops after each other; the second reads what the branch of the first left in shared memory.
//
// RUN: ccc --block 96
// LAUNCH: phases_with_barriers 2 96 i32:500 i32[1000]=below:9:1 i32[500]=0
// LAUNCH: phases_with_barriers 1 33 i32:77 i32[1000]=below:9:2 i32[500]=0
// EXPECT: same-memory

extern "C" __global__ void phases_with_barriers(int n, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int stage[500];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        stage[i] = 0;
    }
    __syncthreads();
//#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
//#CCC if
        if (in[i] < 3) {
            stage[n - 1 - i] = in[i] + 10;
        }
    }
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (stage[i] > 10) {
            int h = stage[i];
            for (int k = 0; k < 5; ++k) h = h * 3 + stage[(i + k) % n];
            out[i] = h;
        }
    }
}
