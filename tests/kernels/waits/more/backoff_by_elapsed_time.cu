// A lock whose losers sleep for a quarter of the time that they have waited so far, by the global timer.
// HANGS: O3 G
// ENDS: 0 16

__device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    if (threadIdx.x % 16 < 2 && n == 4) {
        unsigned long long start = now();
        for (int tries = 0; atomicCAS(&data[0], 0, 1) != 0;) {
            if (tries < 16) {
                ++tries;
                continue;
            }
            unsigned long long waited = now() - start;
            if (waited > 128000)
                __nanosleep(250000);
            else
                __nanosleep((unsigned)waited / 4);
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
