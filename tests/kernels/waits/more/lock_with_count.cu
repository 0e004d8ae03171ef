// A try that gives up after ten attempts; the work and the release are inside the loop around it.
// HANGS: O3:100
// ENDS: 0 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    bool done = false;
    while (!done) {
        bool got = false;
        for (int tries = 0; tries < 10 && !got; ++tries)
            got = atomicCAS(&data[0], 0, 1) == 0;
        if (got) {
            __threadfence();
            *total = *total + n - 3;
            __threadfence();
            atomicExch(&data[0], 0);
            done = true;
        }
    }
}
