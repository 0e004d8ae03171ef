// Two locks of 32 bits that are given back by one exchange of 64 bits.
// HANGS: O3 G
// ENDS: 0 0 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 2;
    while (atomicCAS(&data[0], 0, n) != 0)
        ;
    while (atomicCAS(&data[1], 0, n) != 0)
        ;
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(reinterpret_cast<unsigned long long *>(data), 0ull);
}
