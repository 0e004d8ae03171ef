// A lock between a vote that counts the lanes before it and a shuffle that sums up behind it.
// HANGS: O3 G
// ENDS: 0 2048 63488

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    int lanes = __popc(__ballot_sync(0xffffffffu, n > 0));
    while (atomicCAS(&data[0], 0, 1) != 0)
        ;
    __threadfence();
    *total = *total + lanes / 2;
    __threadfence();
    atomicExch(&data[0], 0);
    int sum = threadIdx.x & 31;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    atomicAdd(&data[2], sum);
}
