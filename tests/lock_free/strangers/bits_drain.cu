// Drains a word of requests: takes the lowest bit by atomicXor/And with a reread; the word is only filled by others
// before; a bit that is gone was taken by another.

// nothing: dr
extern "C" __global__ void dr(unsigned *w, int *out)
{
    unsigned m = *(volatile unsigned *)w;
    int n = 0;
    while (m != 0) {
        unsigned low = m & -m;
        m = atomicAnd(w, ~low);
        if (m & low) n += 1;
        m &= ~low;
    }
    out[threadIdx.x] = n >= 0;
}
