// A lock of 16 bits that shares a word with a flag in the other half.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    unsigned short *lock = reinterpret_cast<unsigned short *>(data);
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(lock, (unsigned short)0, (unsigned short)1) != 0)
            ;
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicCAS(lock, (unsigned short)1, (unsigned short)0);
    }
}
