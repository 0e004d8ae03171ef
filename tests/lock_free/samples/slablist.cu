// slab hash without warp cooperation: 15 keys and a link per slab
//
// assumed: _Z11slab_insertP4SlabjS0_jPKjiPj
struct Slab { unsigned keys[15]; unsigned next; };
#define NIL 0u
__device__ unsigned slab_top;
__device__ unsigned alloc_slab(Slab *pool, unsigned max) {
    unsigned s = atomicAdd(&slab_top, 1u) + 1;
    if (s >= max) return NIL;
    for (int j = 0; j < 15; j++) pool[s].keys[j] = 0xffffffffu;
    pool[s].next = NIL;
    __threadfence();
    return s;
}
__global__ void slab_insert(Slab *base, unsigned nb, Slab *pool, unsigned max, const unsigned *keys, int n, unsigned *lost) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned key = keys[t];
    Slab *s = base + key % nb;
    bool done = false;
    while (!done) {
        for (int j = 0; j < 15 && !done; j++) {
            unsigned k = ((volatile unsigned *)s->keys)[j];
            if (k == 0xffffffffu) k = atomicCAS(&s->keys[j], 0xffffffffu, key);
            if (k == 0xffffffffu || k == key) done = true;
        }
        if (done) break;
        unsigned next = *(volatile unsigned *)&s->next;
        if (next == NIL) {
            unsigned fresh = alloc_slab(pool, max);
            if (fresh == NIL) { atomicAdd(lost, 1u); return; }
            unsigned old = atomicCAS(&s->next, NIL, fresh);
            next = old == NIL ? fresh : old;
        }
        s = pool + next;
    }
}
