// Michael-Scott with indices and counted pointers. If tail lags it is swung (CAS; fails only if another swung it),
// otherwise next is linked by CAS, which fails only if another linked. Dequeue likewise; empty gives up.

// nothing: msq
typedef unsigned long long u64;
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ __forceinline__ u64 mk(unsigned i, u64 old) { return ((old >> 32) + 1) << 32 | i; }
extern "C" __global__ void msq(u64 *head, u64 *tail, u64 *next, unsigned *val, unsigned *out)
{
    unsigned me = threadIdx.x + 1;        // node 0 is the dummy, index 0 as a link is NIL
    val[me] = 1000 + me; next[me] = 0;
    __threadfence();
    u64 t;
    while (1) {
        t = ld(tail);
        u64 n = ld(&next[(unsigned)t]);
        if (t == ld(tail)) {
            if ((unsigned)n == 0) {
                if (atomicCAS(&next[(unsigned)t], n, mk(me, n)) == n) break;
            } else atomicCAS(tail, t, mk((unsigned)n, t));
        }
    }
    atomicCAS(tail, t, mk(me, t));
    unsigned r = 0;
    while (1) {
        u64 h = ld(head); t = ld(tail);
        u64 n = ld(&next[(unsigned)h]);
        if (h != ld(head)) continue;
        if ((unsigned)h == (unsigned)t) {
            if ((unsigned)n == 0) break;
            atomicCAS(tail, t, mk((unsigned)n, t));
        } else {
            r = val[(unsigned)n];
            if (atomicCAS(head, h, mk((unsigned)n, h)) == h) break;
        }
    }
    out[threadIdx.x] = r;
}
