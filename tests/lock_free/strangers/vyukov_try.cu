// Try-push/try-pop of the bounded MPMC ring. diff<0: full/empty, it gives up. diff==0: CAS of the position just read;
// it fails only if another has moved it. diff>0: the slot is ahead, which (invariant seq<=pos+1 until tail moved)
// means that another has moved the position; alone the next reading has the right one.

// nothing: mpmc
struct ring { unsigned *seq; int *val; unsigned *tail, *head; unsigned mask; };
__device__ bool try_push(ring r, int v)
{
    unsigned pos = *(volatile unsigned *)r.tail;
    for (;;) {
        unsigned s = *(volatile unsigned *)&r.seq[pos & r.mask];
        int d = (int)(s - pos);
        if (d == 0) {
            unsigned o = atomicCAS(r.tail, pos, pos + 1);
            if (o == pos) break;
            pos = o;
        } else if (d < 0) return false;
        else pos = *(volatile unsigned *)r.tail;
    }
    r.val[pos & r.mask] = v;
    __threadfence();
    *(volatile unsigned *)&r.seq[pos & r.mask] = pos + 1;
    return true;
}
__device__ bool try_pop(ring r, int *v)
{
    unsigned pos = *(volatile unsigned *)r.head;
    for (;;) {
        unsigned s = *(volatile unsigned *)&r.seq[pos & r.mask];
        int d = (int)(s - (pos + 1));
        if (d == 0) {
            unsigned o = atomicCAS(r.head, pos, pos + 1);
            if (o == pos) break;
            pos = o;
        } else if (d < 0) return false;
        else pos = *(volatile unsigned *)r.head;
    }
    __threadfence();
    *v = r.val[pos & r.mask];
    *(volatile unsigned *)&r.seq[pos & r.mask] = pos + r.mask + 1;
    return true;
}
extern "C" __global__ void mpmc(unsigned *seq, int *val, unsigned *ht, int *out)
{
    ring r = { seq, val, ht, ht + 1, 7 };
    int t = threadIdx.x;
    out[t] = try_push(r, t + 100);
    int v = -1;
    if (try_pop(r, &v)) out[32 + t] = v;
}
