// Natarajan & Mittal 2014: external BST, flags and tags on edges; insert and delete with cleanup.
typedef unsigned long long u64;
struct Node { long long key; u64 left, right; };  // edge: index << 2 | tag << 1 | flag
struct Seek { unsigned ancestor, successor, parent, leaf; };
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ __forceinline__ unsigned adr(u64 e) { return (unsigned)(e >> 2); }
__device__ __forceinline__ u64 *child(Node *pool, unsigned at, long long key) { return key < pool[at].key ? &pool[at].left : &pool[at].right; }
__device__ Seek seek(Node *pool, long long key) {   // 1: R, 2: S
    Seek s = {1, 2, 2, adr(ld(&pool[2].left))};
    u64 parent_field = ld(&pool[2].left), current_field = ld(&pool[s.leaf].left);
    unsigned current = adr(current_field);
    while (current != 0) {
        if (!(parent_field & 2)) { s.ancestor = s.parent; s.successor = s.leaf; }
        s.parent = s.leaf;
        s.leaf = current;
        parent_field = current_field;
        current_field = ld(child(pool, current, key));
        current = adr(current_field);
    }
    return s;
}
__device__ bool cleanup(Node *pool, long long key, Seek s) {
    u64 *successor = child(pool, s.ancestor, key);
    u64 *mine = child(pool, s.parent, key);
    u64 *sibling = mine == &pool[s.parent].left ? &pool[s.parent].right : &pool[s.parent].left;
    if (!(ld(mine) & 1)) sibling = mine;
    u64 e = atomicOr(sibling, 2ull) | 2;
    return atomicCAS(successor, (u64)s.successor << 2, (e & ~3ull) | (e & 1)) == (u64)s.successor << 2;
}
__device__ bool insert(Node *pool, unsigned me, long long key) {
    unsigned leaf = 2 * me + 8, internal = leaf + 1;
    pool[leaf].key = key; pool[leaf].left = pool[leaf].right = 0;
    while (true) {
        Seek s = seek(pool, key);
        long long lk = pool[s.leaf].key;
        if (lk == key) return false;
        u64 *addr = child(pool, s.parent, key);
        pool[internal].key = max(key, lk);
        pool[internal].left = (u64)(key < lk ? leaf : s.leaf) << 2;
        pool[internal].right = (u64)(key < lk ? s.leaf : leaf) << 2;
        __threadfence();
        u64 seen = atomicCAS(addr, (u64)s.leaf << 2, (u64)internal << 2);
        if (seen == (u64)s.leaf << 2) return true;
        if (adr(seen) == s.leaf && (seen & 3)) cleanup(pool, key, s);
    }
}
__device__ bool erase(Node *pool, long long key) {
    bool injected = false;
    unsigned leaf = 0;
    while (true) {
        Seek s = seek(pool, key);
        if (!injected) {
            leaf = s.leaf;
            if (pool[leaf].key != key) return false;
            u64 *addr = child(pool, s.parent, key);
            u64 seen = atomicCAS(addr, (u64)leaf << 2, (u64)leaf << 2 | 1);
            if (seen == (u64)leaf << 2) { injected = true; if (cleanup(pool, key, s)) return true; }
            else if (adr(seen) == leaf && (seen & 3)) cleanup(pool, key, s);
        } else {
            if (s.leaf != leaf) return true;
            if (cleanup(pool, key, s)) return true;
        }
    }
}
// still found: k
extern "C" __global__ void k(Node *pool, const long long *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(pool, i, keys[i]) | erase(pool, keys[n - 1 - i]) << 1;
}
