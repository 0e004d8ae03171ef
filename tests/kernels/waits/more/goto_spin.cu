// A lock taken by a loop of labels and gotos.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    int i = 0;
again:
    if (atomicCAS(&data[0], 0, 1) == 0)
        goto inside;
    goto again;
inside:
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(&data[0], 0);
    if (++i < n)
        goto again;
}
