// A spin loop that the compiler unrolls four times, with an exit in each copy.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        bool got = false;
        while (!got) {
#pragma unroll
            for (int t = 0; t < 4 && !got; ++t)
                got = atomicCAS(&data[0], 0, 1) == 0;
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
