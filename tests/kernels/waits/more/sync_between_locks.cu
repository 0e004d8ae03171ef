// Two locked sections in each turn of a loop, with a block barrier between them.
// HANGS: O3 G
// ENDS: 0 0 512 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 2;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
        total[0] = total[0] + 1;
        __threadfence();
        atomicExch(&data[0], 0);
        __syncthreads();
        while (atomicCAS(&data[1], 0, 1) != 0)
            ;
        __threadfence();
        total[1] = total[1] + 1;
        __threadfence();
        atomicExch(&data[1], 0);
        __syncthreads();
    }
}
