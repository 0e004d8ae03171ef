// The lower half of each warp polls with a vote of its own half, the upper half raises the flags afterwards.
// HANGS: O3 G
// ENDS: 16 16 16 16
extern "C" __global__ void k(int *data, int n) {
    __shared__ volatile int flag[32];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    if (lane < 16) flag[w * 16 + lane] = 0;
    __syncthreads();
    if (lane < 16) {
        while (!__all_sync(0xffffu, flag[w * 16 + lane] == n)) {}
        atomicAdd(&data[blockIdx.x * 2 + w], 1);
    } else {
        flag[w * 16 + lane - 16] = n;
    }
}
