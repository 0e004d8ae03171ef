// A test-and-set lock whose losers wait for some ticks of the clock, each thread another number of them.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        while (atomicExch(&data[0], 1) != 0) {
            long long start = clock64();
            while (clock64() - start < (long long)(threadIdx.x & 7)) {
            }
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
