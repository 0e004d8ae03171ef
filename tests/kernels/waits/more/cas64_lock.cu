// A lock of 64 bits that holds the owner's address and is taken by a 64-bit compare and swap.
// HANGS: O3 G
// ENDS: 0 0 512

extern "C" __global__ void k(int *data, int n)
{
    auto *lock = reinterpret_cast<unsigned long long *>(data);
    volatile int *total = data + 2;
    unsigned long long me = (unsigned long long)&data[1 + threadIdx.x];
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(lock, 0ull, me) != 0ull)
            ;
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicCAS(lock, me, 0ull);
    }
}
