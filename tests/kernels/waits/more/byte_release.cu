// A lock word whose lowest byte is given back by a store of one byte.
// HANGS: O3 G
// ENDS: 65536 512

extern "C" __global__ void k(int *data, int n)
{
    volatile unsigned char *low = reinterpret_cast<volatile unsigned char *>(data);
    volatile int *total = data + 1;
    atomicOr(&data[0], 65536);
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 65536, 65537) != 65536)
            ;
        __threadfence();
        *total = *total + 1;
        __threadfence();
        *low = 0;
    }
}
