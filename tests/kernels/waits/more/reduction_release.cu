// A lock that is given back by a reduction with release semantics in inline PTX.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        int old;
        do {
            asm volatile("atom.acquire.gpu.or.b32 %0, [%1], 1;" : "=r"(old) : "l"(data) : "memory");
        } while (old & 1);
        data[1] = data[1] + 1;
        asm volatile("red.release.gpu.add.s32 [%0], -1;" ::"l"(data) : "memory");
    }
}
