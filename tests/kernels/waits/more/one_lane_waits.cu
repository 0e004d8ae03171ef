// Only the first lane of the second warp waits for the first warp; the others wait at __syncwarp.
// ENDS: 0 44 44
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int flag, value;
    if (threadIdx.x == 0) { flag = 0; value = 0; }
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 11 * n;
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x >= 32) {
        if (threadIdx.x == 32) while (flag == 0) {}
        __syncwarp();
        data[(threadIdx.x - 31) + blockIdx.x * 64] = value;
    }
}
