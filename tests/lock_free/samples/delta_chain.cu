// Bw-tree pages: deltas before the mapping table, consolidation of long chains
//
// assumed: _Z2kvP5StorePK4int2Pii
struct Delta { int key, val; Delta *next; int len; };
struct Store { Delta **map; int pages; Delta *pool; unsigned used, cap; };
__device__ Delta *take(Store *s) { unsigned k = atomicAdd(&s->used, 1u); return k < s->cap ? s->pool + k : nullptr; }
__device__ Delta *cas(Delta **at, Delta *o, Delta *n) {
    return (Delta *)atomicCAS((unsigned long long *)at, (unsigned long long)o, (unsigned long long)n);
}
__device__ bool write(Store *s, int key, int val) {
    Delta **slot = s->map + key % s->pages, *d = take(s), *h;
    if (!d) return false;
    d->key = key; d->val = val;
    do {
        h = *(Delta *volatile *)slot;
        d->next = h; d->len = h ? h->len + 1 : 1;
        __threadfence();
    } while (cas(slot, h, d) != h);
    if (d->len > 32) {
        Delta *fresh = nullptr; int len = 0;
        for (Delta *x = d; x; x = x->next) {
            Delta *y = fresh;
            while (y && y->key != x->key) y = y->next;
            if (y) continue;
            Delta *c = take(s);
            if (!c) return true;
            c->key = x->key; c->val = x->val; c->next = fresh; c->len = ++len;
            fresh = c;
        }
        __threadfence();
        cas(slot, d, fresh);
    }
    return true;
}
__device__ int read(Store *s, int key) {
    for (Delta *x = *(Delta *volatile *)(s->map + key % s->pages); x; x = x->next) if (x->key == key) return x->val;
    return -1;
}
__global__ void kv(Store *s, const int2 *q, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = q[i].y < 0 ? read(s, q[i].x) : write(s, q[i].x, q[i].y);
}
