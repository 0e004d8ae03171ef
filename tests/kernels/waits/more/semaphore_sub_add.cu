// A semaphore with three places: a thread that sees one tries to take it, and puts it back when another was faster.
// HANGS: O3 G
// ENDS: 3 256 0

extern "C" __global__ void k(int *data, int n)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        atomicAdd(&data[0], 3);
    for (int i = 0; i < n / 2; ++i) {
        for (;;) {
            if (atomicAdd(&data[0], 0) > 0) {
                if (atomicSub(&data[0], 1) > 0)
                    break;
                atomicAdd(&data[0], 1);
            }
            __nanosleep(threadIdx.x);
        }
        int inside = atomicAdd(&data[3], 1);
        if (inside >= 3)
            atomicAdd(&data[2], 1);
        atomicAdd(&data[1], 1);
        atomicSub(&data[3], 1);
        atomicAdd(&data[0], 1);
    }
}
