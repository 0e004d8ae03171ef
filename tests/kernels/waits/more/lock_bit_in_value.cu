// The lowest bit of a counter is its lock: the value is compared without the bit, and swapped in with it.
// HANGS: O3 G
// ENDS: 1024

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        int seen, free;
        do {
            seen = atomicAdd(&data[0], 0);
            free = seen & ~1;
        } while (atomicCAS(&data[0], free, free | 1) != free);
        __threadfence();
        atomicExch(&data[0], free + 2);
    }
}
