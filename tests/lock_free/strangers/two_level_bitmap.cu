// The summary says which words have room; alone each round claims a bit, or clears a summary bit of a full word; no
// summary bit: leaves. A failing claim is another's claim.

// nothing: two
extern "C" __global__ void two(unsigned *sum, unsigned *leaf, int *out)
{
    int got = -1;
    for (;;) {
        unsigned s = *(volatile unsigned *)sum;
        if (s == 0) break;
        int w = __ffs(s) - 1;
        unsigned m = *(volatile unsigned *)&leaf[w];
        if (m == ~0u) { atomicAnd(sum, ~(1u << w)); continue; }
        unsigned bit = ~m & (m + 1);
        if (atomicCAS(&leaf[w], m, m | bit) == m) { got = w * 32 + __ffs(bit) - 1; break; }
    }
    out[threadIdx.x] = got;
}
