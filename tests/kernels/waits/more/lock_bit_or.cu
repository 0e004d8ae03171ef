// Thirty-two locks in one word, taken by setting a bit and given back by clearing it.
// HANGS: O3 G
// ENDS: 0 64 64 64 64 64 64 64 64

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        int which = (threadIdx.x + i * 3) & 7;
        int bit = 1 << (which * 4);
        while (atomicOr(&data[0], bit) & bit)
            ;
        __threadfence();
        volatile int *total = data + 1 + which;
        *total = *total + 1;
        __threadfence();
        atomicAnd(&data[0], ~bit);
    }
}
