// One dynamic shared array under two names: the lock is taken by one name and given back by the other.
// HANGS: O3 G
// ENDS: 0 0

extern __shared__ int words[];
__shared__ int fallback[4];

extern "C" __global__ void k(int *data, int n)
{
    int *first = fallback;
    int *second = fallback + (n - 4);
    if (threadIdx.x == 0)
        fallback[0] = fallback[1] = 0;
    __syncthreads();
    while (atomicCAS(&first[0], 0, 1) != 0)
        ;
    __threadfence_block();
    volatile int *total = second + 1;
    *total = *total + 1;
    __threadfence_block();
    atomicExch(&second[0], 0);
    __syncthreads();
    if (threadIdx.x == 0 && fallback[1] != 64)
        data[0] = 1;
    if (n == 0)
        data[1] = words[0];
}
