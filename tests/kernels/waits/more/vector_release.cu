// Four locks that are taken one by one and given back together by one store of 16 bytes.
// HANGS: O3 G
// ENDS: 0 0 0 0 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 4;
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[i], 0, 1) != 0)
            ;
    }
    __threadfence();
    *total = *total + 1;
    __threadfence();
    asm volatile("st.volatile.v4.b32 [%0], {%1, %1, %1, %1};" ::"l"(data), "r"(0) : "memory");
}
