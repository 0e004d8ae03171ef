// Among the lanes that are together, one polls for all: it waits until the other half of the warp has come.
// HANGS: O3 G
// ENDS: 64 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ int come[2];
    if (threadIdx.x < 2) come[threadIdx.x] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    if (lane < 4 * n) {
        atomicAdd(&come[w], 1);
    } else {
        unsigned mask = __activemask();
        if (lane == __ffs(mask) - 1) while (atomicAdd(&come[w], 0) < 16) {}
        __syncwarp(mask);
        atomicAdd(&come[w], 1);
    }
    __syncthreads();
    if (lane < 32) atomicAdd(&data[blockIdx.x], come[w] / 32);
}
