// CRQ (Morrison & Afek 2013) ring of 64-bit cells (32-bit index, 32-bit value): FAA tickets, closes when full or starved.
typedef unsigned long long u64;
#define R 1024u
#define BOT 0xffffffffu
#define CLOSED 0x80000000u
struct Ring { unsigned head, tail; u64 cells[R]; };    // cell: idx << 32 | val, idx bit 31: unsafe
__device__ __forceinline__ unsigned ldu(unsigned *p) { return *(volatile unsigned *)p; }
__device__ bool enqueue(Ring *q, unsigned v) {
    int tries = 0;
    while (true) {
        unsigned t = atomicAdd(&q->tail, 1);
        if (t & CLOSED) return false;
        u64 *cell = &q->cells[t % R], c = *(volatile u64 *)cell;
        unsigned idx = (unsigned)(c >> 32), val = (unsigned)c;
        if (val == BOT && (idx & 0x7fffffffu) <= t && (!(idx & CLOSED) || ldu(&q->head) <= t))
            if (atomicCAS(cell, c, (u64)t << 32 | v) == c) return true;
        unsigned h = ldu(&q->head);
        if ((int)(t - h) >= (int)R || ++tries > 10) { atomicOr(&q->tail, CLOSED); return false; }
    }
}
__device__ unsigned dequeue(Ring *q) {
    while (true) {
        unsigned h = atomicAdd(&q->head, 1);
        u64 *cell = &q->cells[h % R];
        while (true) {
            u64 c = *(volatile u64 *)cell;
            unsigned idx = (unsigned)(c >> 32) & 0x7fffffffu, unsafe = (unsigned)(c >> 32) & CLOSED, val = (unsigned)c;
            if (idx > h) break;
            if (val != BOT) {
                if (idx == h) { if (atomicCAS(cell, c, (u64)(unsafe | (h + R)) << 32 | BOT) == c) return val; }
                else if (atomicCAS(cell, c, (u64)(CLOSED | idx) << 32 | val) == c) break;
            } else if (atomicCAS(cell, c, (u64)(unsafe | (h + R)) << 32 | BOT) == c) break;
        }
        unsigned t = ldu(&q->tail) & 0x7fffffffu;
        if (t <= h + 1) {
            while (true) {      // fix state
                unsigned hh = ldu(&q->head), tt = ldu(&q->tail);
                if (ldu(&q->tail) != tt) continue;
                if (hh <= (tt & 0x7fffffffu) || (tt & CLOSED)) break;
                if (atomicCAS(&q->tail, tt, hh) == tt) break;
            }
            return BOT;
        }
    }
}
// nothing: k
extern "C" __global__ void k(Ring *q, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    enqueue(q, i);
    out[i] = dequeue(q);
}
