// Two warps of a block meet at a barrier with a count between two locked sections.
// HANGS: O3 G
// ENDS: 0 128 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    for (int part = 0; part < n / 2; ++part) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
        total[part] = total[part] + 1;
        __threadfence();
        atomicExch(&data[0], 0);
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    }
}
