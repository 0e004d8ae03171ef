// Cliff Click style set: slots are frozen and moved to the next table, everybody helps
//
// still found: _Z6addAllPKyiPiS1_
typedef unsigned long long u64;
#define MOVED ~0ull
struct Tab { u64 *slot; unsigned cap; Tab *next; unsigned nextCopy; };
__device__ Tab *g_cur;
__device__ Tab *nextOf(Tab *t) { return *(Tab *volatile *)&t->next; }
__device__ int putIn(Tab *t, u64 key) {          // 1 new, 0 there, -1 full, -2 moved
    unsigned i = (unsigned)(key * 0x9e3779b97f4a7c15ull >> 40) % t->cap;
    for (unsigned k = 0; k < t->cap; k++) {
        u64 s = *(volatile u64 *)&t->slot[i];
        if (s == 0) { s = atomicCAS(&t->slot[i], 0ull, key); if (s == 0) return 1; }
        if (s == MOVED) return -2;
        if (s == key) return 0;
        if (++i == t->cap) i = 0;
    }
    return -1;
}
__device__ void migrate(Tab *t) {
    Tab *n = nextOf(t);
    for (unsigned i = 0; i < t->cap; i++) {
        u64 s = atomicCAS(&t->slot[i], 0ull, MOVED);
        if (s == 0 || s == MOVED) continue;
        for (Tab *d = n; d && putIn(d, s) < 0; d = nextOf(d)) ;
        __threadfence();
        atomicExch(&t->slot[i], MOVED);
    }
    atomicCAS((u64 *)&g_cur, (u64)t, (u64)n);
}
__global__ void addAll(const u64 *keys, int n, int *fresh, int *lost) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    Tab *tab = *(Tab *volatile *)&g_cur;
    while (tab) {
        int r = putIn(tab, keys[t]);
        if (r >= 0) { atomicAdd(fresh, r); return; }
        if (!nextOf(tab)) break;
        migrate(tab);
        tab = nextOf(tab);
    }
    atomicAdd(lost, 1);
}
