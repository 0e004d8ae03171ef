// A writer replaces a value once all readers of the old epoch have left; readers enter, read and announce the new epoch.
// HANGS: O3 G
// ENDS: 63 63
extern "C" __global__ void k(int *data, int n) {
    __shared__ int epoch, left, value, sum;
    if (threadIdx.x == 0) { epoch = 1; left = 0; value = 0; sum = 0; }
    __syncthreads();
    if (threadIdx.x == 5) {
        while (atomicAdd(&left, 0) != 63) {}
        atomicExch(&value, n - 3);
        __threadfence_block();
        atomicAdd(&epoch, 1);
    } else {
        int before = atomicAdd(&value, 0);
        atomicAdd(&left, 1);
        while (atomicAdd(&epoch, 0) == 1) {}
        atomicAdd(&sum, atomicAdd(&value, 0) - before);
    }
    __syncthreads();
    if (threadIdx.x == 0) data[blockIdx.x] = sum;
}
