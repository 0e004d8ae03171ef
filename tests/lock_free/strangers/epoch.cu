// One scan of all threads' epochs, one CAS; no repetition. Retire list push by CAS.

// nothing: epoch
extern "C" __global__ void epoch(unsigned *glob, unsigned *loc, unsigned *limbo, unsigned *next)
{
    unsigned me = threadIdx.x, e = *(volatile unsigned *)glob;
    *(volatile unsigned *)&loc[me] = e << 1 | 1;
    __threadfence();
    unsigned *l = &limbo[e % 3], h = *(volatile unsigned *)l, s;
    for (;; h = s) { next[me + 1] = h; __threadfence(); if ((s = atomicCAS(l, h, me + 1)) == h) break; }
    bool all = true;
    for (int i = 0; i < 32 && all; ++i) {
        unsigned x = *(volatile unsigned *)&loc[i];
        if ((x & 1) && (x >> 1) != e) all = false;
    }
    if (all && atomicCAS(glob, e, e + 1) == e) {
        unsigned f = atomicExch(&limbo[(e + 2) % 3], 0u);
        while (f) { unsigned n = next[f]; next[f] = 0; f = n; }
    }
    *(volatile unsigned *)&loc[me] = 0;
}
