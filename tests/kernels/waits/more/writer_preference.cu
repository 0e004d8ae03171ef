// A readers-writer lock in which waiting writers keep new readers out.
// HANGS: O3 G
// ENDS: 0 0 32 96 0

extern "C" __global__ void k(int *data, int n)
{
    volatile int *value = data + 2;
    if (threadIdx.x % 4 == 0) {
        atomicAdd(&data[1], 1);
        while (atomicCAS(&data[0], 0, -1) != 0)
            ;
        __threadfence();
        *value = *value + n - 3;
        __threadfence();
        atomicExch(&data[0], 0);
        atomicSub(&data[1], 1);
    } else {
        for (;;) {
            if (atomicAdd(&data[1], 0) != 0)
                continue;
            int readers = atomicAdd(&data[0], 0);
            if (readers >= 0 && atomicCAS(&data[0], readers, readers + 1) == readers)
                break;
        }
        __threadfence();
        if (*value > 32)
            atomicAdd(&data[4], 1);
        atomicAdd(&data[3], 1);
        __threadfence();
        atomicSub(&data[0], 1);
    }
}
