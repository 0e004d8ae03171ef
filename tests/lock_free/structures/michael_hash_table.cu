// Michael 2002: hash table of ordered lists; find unlinks one marked node at a time.
typedef unsigned long long u64;
struct Node { unsigned key; u64 next; };  // next: index << 1 | mark, 0 is nil
__device__ __forceinline__ u64 ld(const u64 *p) { return *(const volatile u64 *)p; }
__device__ bool find(u64 *bucket, Node *pool, unsigned key, u64 *&prev, u64 &cur, u64 &next) {
try_again:
    prev = bucket;
    cur = ld(prev);
    while (true) {
        if ((cur >> 1) == 0) return false;
        Node *c = pool + (cur >> 1);
        next = ld(&c->next);
        unsigned ckey = *(volatile unsigned *)&c->key;
        if (ld(prev) != (cur & ~1ull)) goto try_again;
        if (!(next & 1)) {
            if (ckey >= key) return ckey == key;
            prev = &c->next;
        } else {
            if (atomicCAS(prev, cur & ~1ull, next & ~1ull) != (cur & ~1ull)) goto try_again;
        }
        cur = next & ~1ull;
    }
}
__device__ bool insert(u64 *bucket, Node *pool, unsigned node, unsigned key) {
    u64 *prev, cur, next;
    pool[node].key = key;
    while (true) {
        if (find(bucket, pool, key, prev, cur, next)) return false;
        pool[node].next = cur & ~1ull;
        __threadfence();
        if (atomicCAS(prev, cur & ~1ull, (u64)node << 1) == (cur & ~1ull)) return true;
    }
}
__device__ bool erase(u64 *bucket, Node *pool, unsigned key) {
    u64 *prev, cur, next;
    while (true) {
        if (!find(bucket, pool, key, prev, cur, next)) return false;
        Node *c = pool + (cur >> 1);
        if (atomicCAS(&c->next, next, next | 1) != next) continue;
        if (atomicCAS(prev, cur, next) != cur) find(bucket, pool, key, prev, cur, next);
        return true;
    }
}
// assumed: k
extern "C" __global__ void k(u64 *table, unsigned buckets, Node *pool, const unsigned *keys, int *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = insert(table + keys[i] % buckets, pool, i + 1, keys[i]);
    unsigned e = keys[n - 1 - i];
    out[i] = r | erase(table + e % buckets, pool, e) << 1;
}
