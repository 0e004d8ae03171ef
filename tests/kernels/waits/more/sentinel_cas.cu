// A value that was read is swapped for a mark, unless it is the mark itself; the new value is stored afterwards.
// HANGS: O3 G
// ENDS: 1536

extern "C" __global__ void k(int *data, int n)
{
    volatile int *word = data;
    for (int i = 0; i < n; ++i) {
        int seen;
        for (;;) {
            seen = *word;
            if (seen == 0x7fffffff)
                continue;
            if (atomicCAS(&data[0], seen, 0x7fffffff) == seen)
                break;
        }
        __threadfence();
        *word = seen + 3;
    }
}
