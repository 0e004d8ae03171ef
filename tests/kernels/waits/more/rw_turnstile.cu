// A readers-writer lock of two locks: the first reader in takes the writers' lock, the last one out gives it back.
// HANGS: O3 G
// ENDS: 0 0 0 64 384

__device__ void take(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ void give(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void k(int *data, int n)
{
    int *gate = &data[0], *room = &data[1];
    volatile int *readers = &data[2], *value = &data[3];
    bool writer = threadIdx.x % 4 == 1;
    for (int i = 0; i < 2; ++i) {
        if (writer) {
            take(room);
            *value = *value + 1;
            give(room);
        }
    }
    for (int i = 0; i < n && !writer; ++i) {
        take(gate);
        int count = *readers + 1;
        *readers = count;
        if (count == 1)
            take(room);
        give(gate);

        if (*value >= 0)
            atomicAdd(&data[4], 1);

        take(gate);
        count = *readers - 1;
        *readers = count;
        if (count == 0)
            give(room);
        give(gate);
    }
}
