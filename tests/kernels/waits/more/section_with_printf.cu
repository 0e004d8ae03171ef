// A critical section that prints when something impossible happens.
// HANGS: O3 G
// ENDS: 0 512

#include <cstdio>

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
        int before = *total;
        if (before < 0)
            printf("thread %d found %d\n", threadIdx.x, before);
        *total = before + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
