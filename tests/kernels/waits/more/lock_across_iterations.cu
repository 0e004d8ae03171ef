// The lock that is taken at the end of one turn of a loop is given back at the start of the next one.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    bool held = false;
    for (int i = 0; i <= n; ++i) {
        if (held) {
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[0], 0);
        }
        held = i < n;
        if (held) {
            while (atomicCAS(&data[0], 0, 1) != 0)
                ;
            __threadfence();
        }
    }
}
