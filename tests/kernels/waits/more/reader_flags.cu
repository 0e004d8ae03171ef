// A lock with a flag for each reader; a writer takes the lock of the writers and waits until all flags are down.
// HANGS: O3 G
// ENDS: 0 16 112

__device__ int reading[128];

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *value = data + 1;
    if (me % 8 == 3) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        for (int t = 0; t < 128; ++t) {
            while (atomicAdd(&reading[t], 0) != 0)
                ;
        }
        __threadfence();
        *value = *value + (n > 3);
        __threadfence();
        atomicExch(&data[0], 0);
    } else {
        for (;;) {
            atomicExch(&reading[me], 1);
            __threadfence();
            if (atomicAdd(&data[0], 0) == 0)
                break;
            atomicExch(&reading[me], 0);
            while (atomicAdd(&data[0], 0) != 0)
                ;
        }
        __threadfence();
        if (*value <= 16)
            atomicAdd(&data[2], 1);
        __threadfence();
        atomicExch(&reading[me], 0);
    }
}
