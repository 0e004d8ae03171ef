// Bw-tree: delta records are prepended to a mapping table entry; lookup walks the chain to the base page.
struct Delta { int kind, key, value, next; };     // kind 0 base, 1 insert, 2 delete
#define LDI(p) (*(volatile int *)(p))
__device__ bool upsert(int *map, Delta *pool, int page, int me, int key, int value) {
    Delta *d = pool + me;
    d->kind = 1; d->key = key; d->value = value;
    int head;
    do {
        head = LDI(&map[page]);
        int length = 0;
        for (int at = head; pool[at].kind != 0; at = pool[at].next) if (++length > 64) return false;   // to consolidate
        d->next = head;
        __threadfence();
    } while (atomicCAS(&map[page], head, me) != head);
    return true;
}
__device__ int lookup(int *map, Delta *pool, int page, int key) {
    int at = LDI(&map[page]);
    while (pool[at].kind != 0) {
        if (pool[at].key == key) return pool[at].kind == 1 ? pool[at].value : -1;
        at = pool[at].next;
    }
    return pool[at].key == key ? pool[at].value : -1;
}
// assumed: k
extern "C" __global__ void k(int *map, Delta *pool, int first, const int *keys, int *out, int n, int pages) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    upsert(map, pool, keys[i] % pages, first + i, keys[i], i);
    out[i] = lookup(map, pool, keys[n - 1 - i] % pages, keys[n - 1 - i]);
}
