// Iterations that are not independent of each other, as can be seen: by one place in memory for all of a thread's, or by shared memory that they use again.
//
// RUN: ccc --block 64
// REFUSED: line 18: the load of `slot` at line 20 of the marked path and the store to `slot` at line 18 are to one place in all iterations
// REFUSED: line 29: the load of `sums` at line 29 of the marked path and the store to `sums` at line 29 are to one place in all iterations
// REFUSED: line 38: the load of `tile` at line 41 of the marked path may meet the store to `tile` at line 38 of a later iteration
#define EACH for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

__device__ int work(int x) {
    for (int k = 0; k < 20; ++k) x = x * 1103515245 + 12345;
    return x;
}

extern "C" __global__ void slot_of_a_thread(int n, const int *in, int *slot, int *out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    EACH {
        slot[t] = in[i] * 3;
//#CCC if
        if (in[i] % 4 == 1) out[i] = work(slot[t]);
    }
}

extern "C" __global__ void sum_of_a_thread(int n, const int *in, int *sums) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    EACH {
//#CCC if
        if (in[i] % 4 == 1) sums[t] += work(i);
    }
}

extern "C" __global__ void tiles(int n, const int *in, int *out) {
    __shared__ int tile[64];
//#CCC for
    for (int i = blockIdx.x; i < n / 64; i += gridDim.x) {
        __syncthreads();
        tile[threadIdx.x] = in[64 * i + threadIdx.x];
        __syncthreads();
//#CCC if
        if (tile[threadIdx.x] % 4 == 1) out[64 * i + threadIdx.x] = work(tile[63 - threadIdx.x]);
    }
}
