// One lane reads the flag for its warp and hands it to the others by a shuffle; all leave the loop together.
// ENDS: 1 128

extern "C" __global__ void k(int *data, int n)
{
    if (blockIdx.x == 1 && threadIdx.x == 0)
        atomicExch(&data[0], n - 3);
    __syncwarp();
    int flag;
    do {
        flag = (threadIdx.x & 31) == 0 ? atomicAdd(&data[0], 0) : 0;
        flag = __shfl_sync(0xffffffffu, flag, 0);
    } while (flag == 0);
    atomicAdd(&data[1], 1);
}
