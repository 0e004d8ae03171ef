// The lock word is given back by one store of a chosen value: zero, or two that lets nobody but odd threads in.
// HANGS: O3 G
// ENDS: 0 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    int me = threadIdx.x;
    while (atomicCAS(&data[0], 0, 1) != 0 && !((me & 1) && atomicCAS(&data[0], 2, 1) == 2))
        ;
    __threadfence();
    *total = *total + 1;
    int odd_left = 0;
    if (me & 1)
        odd_left = atomicAdd(&data[2], -1) - 1;
    __threadfence();
    atomicExch(&data[0], odd_left > n ? 2 : 0);
}
