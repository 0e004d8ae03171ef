// A thread that has had the lock ends by an exit instruction inside the loop.
// HANGS: O3 G
// ENDS: 0 128 0

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        if (atomicCAS(&data[0], 0, 1) == 0) {
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[0], 0);
            asm volatile("exit;");
        }
        --i;
    }
    atomicAdd(&data[2], 1);
}
