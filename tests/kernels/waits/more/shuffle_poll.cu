// The first lane of a warp polls for the other warp and tells its warp by a shuffle what it saw.
// ENDS: 0 160 160
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int flag;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        int v;
        do {
            v = lane == 0 ? flag : 0;
            v = __shfl_sync(0xffffffffu, v, 0);
        } while (v == 0);
        atomicAdd(&data[1 + blockIdx.x], v);
    } else if (lane == 7) {
        flag = n + 1;
    }
}
