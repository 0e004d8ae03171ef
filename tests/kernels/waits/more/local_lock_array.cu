// The lock's address is chosen from an array of the thread's own, in local memory.
// HANGS: O3 G
// ENDS: 0 0 0 0 128 128 128 128

extern "C" __global__ void k(int *data, int n)
{
    int *mine[4];
    for (int i = 0; i < 4; ++i)
        mine[(i + threadIdx.x) & 3] = &data[i];
    for (int i = 0; i < n; ++i) {
        int *lock = mine[(i * 3) & 3];
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        volatile int *total = lock + 4;
        *total = *total + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
