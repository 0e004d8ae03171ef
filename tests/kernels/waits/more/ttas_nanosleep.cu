// A test-and-test-and-set lock that reads before it tries and sleeps longer after each failure.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *seen = data;
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        unsigned wait = 8;
        for (;;) {
            if (*seen == 0 && atomicCAS(&data[0], 0, 1) == 0)
                break;
            __nanosleep(wait);
            if (wait < 128)
                wait *= 2;
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
