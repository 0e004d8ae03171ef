// Split-ordered list (Shalev & Shavit 2006): bucket table grows, sentinel nodes are inserted on demand.
struct Node { unsigned so_key, key, next; };
__device__ __forceinline__ unsigned ldu(unsigned *p) { return *(volatile unsigned *)p; }
__device__ unsigned list_insert(Node *pool, unsigned head, unsigned node) {   // the node, or the one that is there
    Node *n = pool + node;
    while (true) {
        unsigned pred = head, cur = ldu(&pool[pred].next);
        while (cur != 0 && (pool[cur].so_key < n->so_key || (pool[cur].so_key == n->so_key && pool[cur].key != n->key))) {
            pred = cur;
            cur = ldu(&pool[cur].next);
        }
        if (cur != 0 && pool[cur].so_key == n->so_key) return cur;
        n->next = cur;
        __threadfence();
        if (atomicCAS(&pool[pred].next, cur, node) == cur) return node;
    }
}
__device__ unsigned parent_of(unsigned b) { return b & ~(0x80000000u >> __clz(b)); }
__device__ unsigned bucket_head(unsigned *table, Node *pool, unsigned b) {   // sentinels lie at 1 + b
    unsigned p = b;
    while (p != 0 && ldu(&table[p]) == 0) p = parent_of(p);                  // nearest ancestor that is there
    while (p != b) {
        unsigned missing = b;
        while (parent_of(missing) != p) missing = parent_of(missing);
        unsigned s = 1 + missing;
        pool[s].so_key = __brev(missing);
        pool[s].key = 0;
        unsigned at = list_insert(pool, ldu(&table[p]), s);
        atomicCAS(&table[missing], 0u, at);
        p = missing;
    }
    return ldu(&table[b]);
}
// assumed: k
extern "C" __global__ void k(unsigned *table, unsigned *size, unsigned *count, Node *pool, unsigned first, const unsigned *keys, int *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = ldu(size), b = keys[i] & (s - 1), node = first + i;
    pool[node].so_key = __brev(keys[i]) | 1;
    pool[node].key = keys[i];
    unsigned h = bucket_head(table, pool, b);
    out[i] = list_insert(pool, h, node) == node;
    if (atomicAdd(count, 1) / s > 2) atomicCAS(size, s, 2 * s);
}
