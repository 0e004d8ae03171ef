// Every round either gets the bit or learns from atomicOr of a bit that is set and that it did not know; m only gains
// bits, at most 32 rounds, whatever others do.

// nothing: alloc
__device__ int claim(unsigned *word)
{
    unsigned m = *word;
    for (;;) {
        if (m == ~0u) return -1;
        unsigned bit = ~m & (0u - ~m);
        unsigned old = atomicOr(word, bit);
        if (!(old & bit)) return __popc(bit - 1);
        m |= old;
    }
}
extern "C" __global__ void alloc(unsigned *bits, int *out)
{
    int t = threadIdx.x;
    int s = claim(bits + (t & 1));
    if (s < 0) s = claim(bits + (~t & 1));
    out[t] = s;
}
