// A lock that its owner may take again: the word holds the owner, a count beside it how often it was taken.
// HANGS: O3 G
// ENDS: 0 0 896

__device__ __noinline__ void take(int *lock, int me)
{
    if (atomicAdd(&lock[0], 0) != me) {
        while (atomicCAS(&lock[0], 0, me) != 0)
            ;
        __threadfence();
    }
    volatile int *depth = &lock[1];
    *depth = *depth + 1;
}

__device__ __noinline__ void give(int *lock)
{
    volatile int *depth = &lock[1];
    *depth = *depth - 1;
    if (*depth == 0) {
        __threadfence();
        atomicExch(&lock[0], 0);
    }
}

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x + 1;
    volatile int *total = data + 2;
    for (int depth = 0; depth < n; ++depth)
        take(data, me);
    *total = *total + 7;
    for (int depth = 0; depth < n; ++depth)
        give(data);
}
