// The first of the lanes that happen to be active takes the lock; it does so until all have had it.
// HANGS: O3
// ENDS: 0 128

extern "C" __global__ void k(int *data, int n)
{
    int lane = threadIdx.x & 31;
    bool served = n == 0;
    while (!served) {
        unsigned active = __activemask();
        if (lane == __ffs(active) - 1) {
            while (atomicCAS(&data[0], 0, 1) != 0)
                ;
            __threadfence();
            volatile int *total = data + 1;
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[0], 0);
            served = true;
        }
    }
}
