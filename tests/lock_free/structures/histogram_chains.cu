// Group-by with overflow chains: walk the chain of the bucket, append at its end by CAS, count in place.
struct Entry { unsigned key, count; int next; };
#define LDI(p) (*(volatile int *)(p))
// assumed: k
extern "C" __global__ void k(int *heads, unsigned buckets, Entry *pool, int *used, int limit, const unsigned *keys, int n, int *dropped) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned key = keys[i];
        int *link = &heads[key * 2654435761u % buckets], mine = -1;
        while (true) {
            int at = LDI(link);
            if (at == -1) {
                if (mine == -1) {
                    mine = atomicAdd(used, 1);
                    if (mine >= limit) { atomicAdd(dropped, 1); break; }
                    pool[mine].key = key; pool[mine].count = 1; pool[mine].next = -1;
                    __threadfence();
                }
                at = atomicCAS(link, -1, mine);
                if (at == -1) break;
            }
            if (pool[at].key == key) { atomicAdd(&pool[at].count, 1); break; }
            link = &pool[at].next;
        }
    }
}
