// Free list with tag (CAS of head just read; empty falls back to the bump counter, which is one CAS loop with a
// limit).

// nothing: use
struct pool { unsigned long long *head; unsigned *bump, *next; };
__device__ unsigned get(pool p)
{
    unsigned long long h = *(volatile unsigned long long *)p.head;
    while ((unsigned)h) {
        unsigned long long n = (h & 0xffffffff00000000ull) + (1ull << 32) + *(volatile unsigned *)&p.next[(unsigned)h];
        unsigned long long o = atomicCAS(p.head, h, n);
        if (o == h) return (unsigned)h;
        h = o;
    }
    unsigned b = *(volatile unsigned *)p.bump, o;
    do { if (b >= 48) return 0; o = b; b = atomicCAS(p.bump, o, o + 1); } while (b != o);
    return o;
}
__device__ void put(pool p, unsigned i)
{
    unsigned long long h = *(volatile unsigned long long *)p.head, o;
    for (;; h = o) {
        *(volatile unsigned *)&p.next[i] = (unsigned)h;
        __threadfence();
        o = atomicCAS(p.head, h, (h & 0xffffffff00000000ull) + (1ull << 32) + i);
        if (o == h) break;
    }
}
extern "C" __global__ void use(unsigned long long *head, unsigned *bump, unsigned *next, unsigned *out)
{
    pool p = { head, bump, next };
    unsigned a = get(p);
    if (a) { out[threadIdx.x] = 1; put(p, a); }
}
