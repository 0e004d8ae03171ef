// A lock in inline PTX: atom.acquire takes it, st.release gives it back, ld.acquire waits in between.
// HANGS: O3 G
// ENDS: 0 512

__device__ void take(int *lock)
{
    int old, seen;
    for (;;) {
        asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(lock) : "memory");
        if (old == 0)
            return;
        do {
            asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(lock) : "memory");
        } while (seen != 0);
    }
}

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        take(data);
        data[1] = data[1] + 1;
        asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(data), "r"(0) : "memory");
    }
}
