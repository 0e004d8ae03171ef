// Fetch-and-add queues.
typedef unsigned long long u64;
typedef long long i64;

__device__ __forceinline__ u64 L64(const u64 *p) { return *(const volatile u64 *)p; }
__device__ __forceinline__ unsigned L32(const unsigned *p) { return *(const volatile unsigned *)p; }

// ---- one CRQ ring: cell = safe:1 | idx:31 | val:32 (val 0 = empty) ----------
#define SAFE (1ull << 63)
#define CLOSED_BIT 0x80000000u

struct Crq { unsigned head, tail; unsigned R; u64 *cell; };

__device__ __forceinline__ u64 crq_cell(u64 safe, unsigned idx, unsigned val)
{
    return safe | ((u64)(idx & 0x7fffffffu) << 32) | val;
}

__device__ bool crq_enqueue(Crq *q, unsigned v)          // false: ring closed
{
    for (int tries = 0;; ++tries) {
        unsigned t = atomicAdd(&q->tail, 1u);
        if (t & CLOSED_BIT) return false;
        u64 *c = &q->cell[t % q->R];
        u64 w = L64(c);
        unsigned idx = (unsigned)(w >> 32) & 0x7fffffffu;
        if ((unsigned)w == 0 && idx <= t && ((w & SAFE) || L32(&q->head) <= t)) {
            __threadfence();
            if (atomicCAS(c, w, crq_cell(SAFE, t, v)) == w) return true;
        }
        unsigned h = L32(&q->head);
        if ((int)(t - h) >= (int)q->R || tries > 16) {   // full or starving
            atomicOr(&q->tail, CLOSED_BIT);
            return false;
        }
    }
}

__device__ unsigned crq_dequeue(Crq *q)
{
    for (;;) {
        unsigned h = atomicAdd(&q->head, 1u);
        u64 *c = &q->cell[h % q->R];
        for (;;) {
            u64 w = L64(c);
            unsigned idx = (unsigned)(w >> 32) & 0x7fffffffu, val = (unsigned)w;
            if (idx > h) break;
            if (val != 0) {
                if (idx == h) {
                    if (atomicCAS(c, w, crq_cell(w & SAFE, h + q->R, 0)) == w) return val;
                } else if (atomicCAS(c, w, crq_cell(0, idx, val)) == w) {
                    break;                               // marked unsafe
                }
            } else if (atomicCAS(c, w, crq_cell(w & SAFE, h + q->R, 0)) == w) {
                break;
            }
        }
        unsigned t = L32(&q->tail);
        if ((t & ~CLOSED_BIT) <= h + 1) {
            for (;;) {                                   // fixState
                unsigned tt = L32(&q->tail), hh = L32(&q->head);
                if (L32(&q->tail) != tt) continue;
                if ((tt & ~CLOSED_BIT) >= hh || (tt & CLOSED_BIT)) break;
                if (atomicCAS(&q->tail, tt, hh) == tt) break;
            }
            return 0;
        }
    }
}

// nothing: lcrq_ring_giveup
// one CRQ of LCRQ (Morrison, Afek PPoPP 2013): closes instead of waiting when full
extern "C" __global__ void lcrq_ring_giveup(Crq *q, unsigned *out, int ops)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x, e = 0, d = 0;
    for (int i = 0; i < ops; ++i) {
        if (crq_enqueue(q, tid + 1)) ++e;
        if (crq_dequeue(q) != 0) ++d;
    }
    out[2 * tid] = e;
    out[2 * tid + 1] = d;
}

// ---- linked segments ----------------------------------------------------------
#define SEG 128
#define TAKEN 0xffffffffu
struct Segment { unsigned deq, enq; int next; unsigned item[SEG]; };
struct FaaQueue { int head, tail; int used, nseg; Segment *seg; };

// nothing: faa_array_enqueue
// FAAArrayQueue enqueue (Correia, Ramalhete 2016): take an index, CAS the item, append a segment if needed
extern "C" __global__ void faa_array_enqueue(FaaQueue *q, const unsigned *in, int *ok, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, spare = -1, n = 0;
    for (int k = 0; k < per_thread; ++k) {
        unsigned v = in[tid * per_thread + k];
        while (true) {
            int lt = *(volatile int *)&q->tail;
            Segment *s = &q->seg[lt];
            unsigned i = atomicAdd(&s->enq, 1u);
            if (i < SEG) {
                if (atomicCAS(&s->item[i], 0u, v) == 0u) { ++n; break; }
                continue;
            }
            if (lt != *(volatile int *)&q->tail) continue;
            int nx = *(volatile int *)&s->next;
            if (nx >= 0) { atomicCAS(&q->tail, lt, nx); continue; }
            if (spare < 0) spare = atomicAdd(&q->used, 1);
            if (spare >= q->nseg) break;                     // out of memory, give up
            Segment *ns = &q->seg[spare];
            ns->deq = 0; ns->enq = 1; ns->next = -1; ns->item[0] = v;
            __threadfence();
            int was = atomicCAS(&s->next, -1, spare);
            if (was == -1) {
                atomicCAS(&q->tail, lt, spare);
                spare = -1;
                ++n;
                break;
            }
            ns->item[0] = 0;
            atomicCAS(&q->tail, lt, was);
        }
    }
    ok[tid] = n;
}

// nothing: faa_array_dequeue
// FAAArrayQueue dequeue (Correia, Ramalhete 2016): an unfilled cell is poisoned by exchange, not waited for
extern "C" __global__ void faa_array_dequeue(FaaQueue *q, unsigned *out, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        unsigned r = 0;
        while (r == 0) {
            int lh = *(volatile int *)&q->head;
            Segment *s = &q->seg[lh];
            if (L32(&s->deq) >= L32(&s->enq) && *(volatile int *)&s->next < 0) break;
            unsigned i = atomicAdd(&s->deq, 1u);
            if (i >= SEG) {
                int nx = *(volatile int *)&s->next;
                if (nx < 0) break;
                atomicCAS(&q->head, lh, nx);
                continue;
            }
            r = atomicExch(&s->item[i], TAKEN);
        }
        out[tid * per_thread + k] = r;
    }
}
