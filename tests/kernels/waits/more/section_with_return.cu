// Threads that find the total reached give the lock back and return out of the middle of the loop.
// HANGS: O3 G
// ENDS: 0 100

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
        if (*total == 100) {
            atomicExch(&data[0], 0);
            return;
        }
        *total = *total + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
