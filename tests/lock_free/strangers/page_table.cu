// Reads the entry, else allocates and publishes by one CAS; the loser gives its page to the free stack by CAS (fails
// only by another).

// nothing: pt
extern "C" __global__ void pt(unsigned *dir, unsigned *bump, unsigned *fl, unsigned *next, int *out)
{
    unsigned *e = &dir[threadIdx.x & 7], p = *(volatile unsigned *)e;
    if (!p) {
        unsigned n = atomicAdd(bump, 1u);
        p = atomicCAS(e, 0u, n);
        if (p) {
            unsigned h, s = *(volatile unsigned *)fl;
            while (h = s, *(volatile unsigned *)&next[n] = h, (s = atomicCAS(fl, h, n)) != h) ;
        } else p = n;
    }
    out[threadIdx.x] = p != 0;
}
