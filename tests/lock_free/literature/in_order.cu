// A list in order, by indices into a pool: what is inserted goes behind the last node with a lesser key.

struct Entry {
    unsigned key;
    unsigned count;
    int next;
};

// assumed: insert_in_order
extern "C" __global__ void insert_in_order(Entry *pool, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i > n) return;
    while (true) {
        int before = 0, at = *(volatile int *)&pool[0].next;
        while (at != 0 && pool[at].key < pool[i].key) {
            before = at;
            at = *(volatile int *)&pool[at].next;
        }
        pool[i].next = at;
        __threadfence();
        if (atomicCAS(&pool[before].next, at, i) == at) break;
    }
}
