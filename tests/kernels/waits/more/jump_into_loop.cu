// A loop with two entries: some threads jump into its middle, all of them spin in it for the lock.
// HANGS: O3 G
// ENDS: 0 128 64

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    if ((threadIdx.x & 1) + n == 5)
        goto middle;
top:
    if (atomicAdd(&data[0], 0) != 0)
        goto top;
middle:
    if (atomicCAS(&data[0], 0, 1) != 0)
        goto top;
    __threadfence();
    *total = *total + 1;
    if (threadIdx.x & 1)
        atomicAdd(&data[2], 1);
    __threadfence();
    atomicExch(&data[0], 0);
}
