// A critical section with assertions that hold, and a trap for what never happens.
// HANGS: O3 G
// ENDS: 0 512 0

#include <cassert>

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    volatile int *inside = data + 2;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
        assert(*inside == 0);
        *inside = 1;
        *total = *total + 1;
        if (*total > 512)
            __trap();
        *inside = 0;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
