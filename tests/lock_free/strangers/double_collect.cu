// Two equal collects of version numbers; they differ only if another has updated in between (which has succeeded);
// alone two rounds suffice.

// nothing: snap
extern "C" __global__ void snap(unsigned long long *reg, unsigned long long *out)
{
    int me = threadIdx.x;
    unsigned long long o = *(volatile unsigned long long *)&reg[me & 7], s;
    while ((s = atomicCAS(&reg[me & 7], o, o + (1ull << 32) + me)) != o) o = s;
    unsigned long long a[8], sum;
    bool same;
    #pragma unroll
    for (int i = 0; i < 8; ++i) a[i] = ((volatile unsigned long long *)reg)[i];
    do {
        same = true; sum = 0;
        #pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned long long b = ((volatile unsigned long long *)reg)[i];
            same &= b == a[i];
            a[i] = b; sum += b;
        }
    } while (!same);
    out[me] = sum & 0;
}
