// Announces the head, looks again whether it is still the head; differs only if another has pushed or popped since.
// CAS likewise.

// nothing: hp_pop
extern "C" __global__ void hp_pop(unsigned *head, unsigned *next, unsigned *hp, int *out)
{
    volatile unsigned *H = head, *Z = hp;
    unsigned me = threadIdx.x, got = 0;
    for (;;) {
        unsigned h;
        do { h = *H; Z[me] = h; __threadfence(); } while (*H != h);
        if (!h) break;
        unsigned n = h < 40 ? h + 1 : 0;
        if (atomicCAS(head, h, n) == h) { got = h; break; }
    }
    Z[me] = 0;
    out[me] = got > 0;
    if (!got) return;
    int used = 0;
    for (int i = 0; i < 32; ++i) used |= Z[i] == got;
    if (used) next[got] = 0;
}
