// All lanes of a warp try until a vote says that each of them has had the lock.
// ENDS: 0 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    bool done = n == 0;
    while (__any_sync(0xffffffffu, !done)) {
        if (!done && atomicCAS(&data[0], 0, 1) == 0) {
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[0], 0);
            done = true;
        }
    }
}
