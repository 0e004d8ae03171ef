// An allocator of four cells with a free list under a lock; a thread that finds it empty waits for one to come back.
// HANGS: O3 G
// ENDS: 128 0

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int lock;
    __shared__ volatile int first, next[4], owner[4];
    if (threadIdx.x == 0) {
        lock = 0;
        first = 0;
        for (int i = 0; i < 4; ++i) {
            next[i] = i + 1 < n ? i + 1 : -1;
            owner[i] = -1;
        }
    }
    __syncthreads();
    int cell = -1;
    do {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        cell = first;
        if (cell >= 0)
            first = next[cell];
        __threadfence_block();
        atomicExch(&lock, 0);
    } while (cell < 0);
    owner[cell] = threadIdx.x;
    __threadfence_block();
    if (owner[cell] != threadIdx.x)
        atomicAdd(&data[1], 1);
    atomicAdd(&data[0], 1);
    __threadfence_block();
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence_block();
    next[cell] = first;
    first = cell;
    __threadfence_block();
    atomicExch(&lock, 0);
}
