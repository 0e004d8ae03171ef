// A try that gives up after some ticks of the clock; the work and the release are inside the loop around it.
// HANGS: O3:75 O3:90
// ENDS: 0 128

__device__ bool try_for(int *lock, long long ticks)
{
    long long start = clock64();
    while (atomicCAS(lock, 0, 1) != 0) {
        if (clock64() - start > ticks)
            return false;
    }
    return true;
}

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    bool done = n == 0;
    while (!done) {
        if (try_for(data, 40)) {
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[0], 0);
            done = true;
        }
    }
}
