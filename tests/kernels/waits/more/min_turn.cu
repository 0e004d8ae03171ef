// A lock taken by the smallest: atomicMin stores one and shows whether it was free.
// HANGS: O3 G
// ENDS: 2 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomicExch(&data[0], 2);
    for (int i = 0; i < n; ++i) {
        while (atomicMin(&data[0], 1) != 2)
            ;
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicMax(&data[0], 2);
    }
}
