// Linden & Jonsson 2013 delete-min: walk the deleted prefix, set the low bit of next by fetch-and-or, unlink the prefix when it is long.
typedef unsigned long long u64;
struct Node { unsigned key; u64 next; };     // next: index << 1 | the following node is deleted; 0 head, 1 tail
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ int delete_min(Node *pool, int bound) {
    unsigned x = 0;
    int offset = 0;
    u64 head = ld(&pool[0].next), nxt;
    do {
        nxt = ld(&pool[x].next);
        if (nxt >> 1 == 1) return -1;
        if (!(nxt & 1)) nxt = atomicOr(&pool[x].next, 1ull);
        ++offset;
        x = nxt >> 1;
    } while (nxt & 1);
    int key = pool[x].key;
    if (offset >= bound) atomicCAS(&pool[0].next, head, (u64)x << 1 | 1);
    return key;
}
__device__ void insert(Node *pool, unsigned me, unsigned key) {
    pool[me].key = key;
    while (true) {
        unsigned pred = 0;
        u64 next = ld(&pool[0].next);
        while ((next >> 1) != 1 && ((next & 1) || pool[next >> 1].key < key)) {
            pred = next >> 1;
            next = ld(&pool[pred].next);
        }
        pool[me].next = next;
        __threadfence();
        if (atomicCAS(&pool[pred].next, next, (u64)me << 1) == next) return;
    }
}
// assumed: k
extern "C" __global__ void k(Node *pool, const unsigned *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    insert(pool, i + 2, keys[i]);
    out[i] = delete_min(pool, 32);
}
