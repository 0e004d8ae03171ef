// bucketed priority queue: 64 priorities, occupancy word as a hint, a stack per bucket
//
// assumed: _Z8scheduleP2PQPKiPii
typedef unsigned long long u64;
struct PQ { u64 occupied; u64 top[64]; unsigned *link; };
__device__ void pq_push(PQ *q, unsigned item, int prio) {
    u64 *t = &q->top[prio];
    u64 old = *(volatile u64 *)t, assumed;
    do {
        assumed = old;
        q->link[item] = (unsigned)assumed;
        __threadfence();
        old = atomicCAS(t, assumed, ((assumed >> 32) + 1) << 32 | item);
    } while (old != assumed);
    atomicOr(&q->occupied, 1ull << prio);
}
__device__ int pq_pop(PQ *q, unsigned *item) {
    u64 occ;
    while ((occ = *(volatile u64 *)&q->occupied) != 0) {
        int p = __ffsll(occ) - 1;
        u64 t = *(volatile u64 *)&q->top[p];
        if ((unsigned)t == 0) {
            atomicAnd(&q->occupied, ~(1ull << p));
            if ((unsigned)*(volatile u64 *)&q->top[p] != 0) atomicOr(&q->occupied, 1ull << p);
            continue;
        }
        unsigned nx = ((volatile unsigned *)q->link)[(unsigned)t];
        if (atomicCAS(&q->top[p], t, ((t >> 32) + 1) << 32 | nx) == t) { *item = (unsigned)t; return p; }
    }
    return -1;
}
__global__ void schedule(PQ *q, const int *prio, int *order, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pq_push(q, i + 1, prio[i] & 63);
    unsigned it = 0;
    if (pq_pop(q, &it) >= 0) order[i] = it;
}
