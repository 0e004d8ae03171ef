// SCQ (Nikolaev 2019) style ring of free indices: FAA on tail/head, entries carry cycle; threshold bounds the dequeue.
typedef unsigned long long u64;
struct SCQ { u64 head, tail; int threshold; u64 entries[1 << 12]; };  // entry: cycle << 16 | safe << 15 | index
#define ORDER 12
#define SIZE (1u << ORDER)
#define BOT 0x7fffu
__device__ __forceinline__ u64 ldv(u64 *p) { return *(volatile u64 *)p; }
__device__ void enqueue(SCQ *q, unsigned index) {
    while (true) {
        u64 t = atomicAdd(&q->tail, 1ull), cycle = t >> ORDER;
        u64 *e = &q->entries[t & (SIZE - 1)];
        u64 ent = ldv(e);
        while ((ent >> 16) < cycle && (ent & 0x7fff) == BOT && ((ent & 0x8000) || ldv(&q->head) <= t)) {
            u64 seen = atomicCAS(e, ent, cycle << 16 | 0x8000 | index);
            if (seen == ent) {
                if (*(volatile int *)&q->threshold != 3 * (int)SIZE / 2 - 1) atomicExch(&q->threshold, 3 * (int)SIZE / 2 - 1);
                return;
            }
            ent = seen;
        }
    }
}
__device__ void catchup(SCQ *q, u64 tail, u64 head) {
    while (atomicCAS(&q->tail, tail, head) != tail) {
        head = ldv(&q->head);
        tail = ldv(&q->tail);
        if (tail >= head) break;
    }
}
__device__ int dequeue(SCQ *q) {
    if (*(volatile int *)&q->threshold < 0) return -1;
    while (true) {
        u64 h = atomicAdd(&q->head, 1ull), cycle = h >> ORDER;
        u64 *e = &q->entries[h & (SIZE - 1)];
        u64 ent = ldv(e), fresh;
        do {
            if ((ent >> 16) == cycle) {
                atomicOr(e, (u64)BOT);
                return ent & 0x7fff;
            }
            fresh = (ent & ~0x8000ull);
            if ((ent & 0x7fff) == BOT) fresh = cycle << 16 | (ent & 0x8000) | BOT;
            if ((ent >> 16) >= cycle) break;
            u64 seen = atomicCAS(e, ent, fresh);
            if (seen == ent) break;
            ent = seen;
        } while (true);
        u64 t = ldv(&q->tail);
        if (t <= h + 1) {
            catchup(q, t, h + 1);
            atomicSub(&q->threshold, 1);
            return -1;
        }
        if (atomicSub(&q->threshold, 1) <= 0) return -1;
    }
}
// still found: k
extern "C" __global__ void k(SCQ *freeq, SCQ *used, unsigned *data, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int slot = dequeue(freeq);
    if (slot < 0) { out[i] = -1; return; }
    data[slot] = i;
    enqueue(used, slot);
    out[i] = dequeue(used);
}
