// A thread that does not get the lock does some of its private work and then tries again.
// HANGS: O3 G
// ENDS: 0 128 0

__device__ bool try_lock(int *lock)
{
    bool got = atomicCAS(lock, 0, 1) == 0;
    if (got)
        __threadfence();
    return got;
}

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    int left = n, work = 0;
    while (!try_lock(&data[0])) {
        if (left > 0) {
            work += left * left;
            --left;
        }
    }
    *total = *total + 1;
    __threadfence();
    atomicExch(&data[0], 0);
    while (left > 0) {
        work += left * left;
        --left;
    }
    if (work != 30)
        atomicAdd(&data[2], 1);
}
