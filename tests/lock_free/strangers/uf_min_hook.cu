// Komura/Playne label equivalence: both find go down to smaller labels; atomicMin returns a label that is smaller than
// the one hooked, so each round strictly descends, alone and with others.

// nothing: ccl
__device__ void link(unsigned *L, unsigned a, unsigned b)
{
    bool done;
    do {
        while (a != L[a]) a = L[a];
        while (b != L[b]) b = L[b];
        if (a < b) {
            unsigned old = atomicMin(&L[b], a);
            done = old == b; b = old;
        } else if (b < a) {
            unsigned old = atomicMin(&L[a], b);
            done = old == a; a = old;
        } else done = true;
    } while (!done);
}
extern "C" __global__ void ccl(unsigned *L, const unsigned *img)
{
    unsigned x = threadIdx.x;
    if ((x & 7) && ((img[x] ^ img[x - 1]) & 1) == 0) link(L, x, x - 1);
    if (x >= 8 && ((img[x] ^ img[x - 8]) & 1) == 0) link(L, x, x - 8);
}
