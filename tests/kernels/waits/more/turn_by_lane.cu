// The lanes of a warp take their turns in a loop over all lanes, so that at most one of them waits for the lock.
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int lane = 0; lane < 32; ++lane) {
        if ((threadIdx.x & 31) == lane) {
            for (int i = 0; i < n; ++i) {
                while (atomicCAS(&data[0], 0, 1) != 0)
                    ;
                __threadfence();
                *total = *total + 1;
                __threadfence();
                atomicExch(&data[0], 0);
            }
        }
    }
}
