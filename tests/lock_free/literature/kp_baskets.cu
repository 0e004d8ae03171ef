// Queues with more elaborate helping.
typedef unsigned long long u64;

// ---------------- Kogan & Petrank ------------------------------------------
// state word: phase:32 | pending:1 | enq:1 | node:30 (node 0 = null)
#define PEND (1u << 31)
#define ENQ  (1u << 30)
#define NODEMASK (ENQ - 1u)

struct KpNode { int value; int next; int enqTid; int deqTid; };

struct KpQueue {
    int head, tail;
    int nthreads;
    u64 *state;
    KpNode *node;

    __device__ u64 st(int t) const { return ((volatile u64 *)state)[t]; }
    __device__ int nextOf(int n) const { return *(volatile int *)&node[n].next; }
    __device__ int H() const { return *(volatile int *)&head; }
    __device__ int T() const { return *(volatile int *)&tail; }
    __device__ bool pending(int t, unsigned ph) const
    {
        u64 s = st(t);
        return ((unsigned)s & PEND) && (unsigned)(s >> 32) <= ph;
    }
    __device__ unsigned maxPhase() const
    {
        unsigned m = 0;
        for (int i = 0; i < nthreads; ++i) m = max(m, (unsigned)(st(i) >> 32));
        return m;
    }
    __device__ void finishEnq()
    {
        int last = T();
        int nx = nextOf(last);
        if (nx == 0) return;
        int t = *(volatile int *)&node[nx].enqTid;
        u64 cur = st(t);
        if (last == T() && (int)((unsigned)cur & NODEMASK) == nx) {
            u64 neu = (cur & 0xffffffff00000000ull) | ENQ | (unsigned)nx;
            atomicCAS(&state[t], cur, neu);
            atomicCAS(&tail, last, nx);
        }
    }
    __device__ void finishDeq()
    {
        int first = H();
        int nx = nextOf(first);
        int t = *(volatile int *)&node[first].deqTid;
        if (t < 0) return;
        u64 cur = st(t);
        if (first == H() && nx != 0) {
            u64 neu = (cur & 0xffffffff00000000ull) | ((unsigned)cur & NODEMASK);
            atomicCAS(&state[t], cur, neu);
            atomicCAS(&head, first, nx);
        }
    }
    __device__ void helpEnq(int t, unsigned ph)
    {
        while (pending(t, ph)) {
            int last = T();
            int nx = nextOf(last);
            if (last != T()) continue;
            if (nx == 0) {
                if (pending(t, ph)) {
                    int n = (int)((unsigned)st(t) & NODEMASK);
                    if (atomicCAS(&node[last].next, 0, n) == 0) { finishEnq(); return; }
                }
            } else {
                finishEnq();
            }
        }
    }
    __device__ void helpDeq(int t, unsigned ph)
    {
        while (pending(t, ph)) {
            int first = H(), last = T();
            int nx = nextOf(first);
            if (first != H()) continue;
            if (first == last) {
                if (nx == 0) {
                    u64 cur = st(t);
                    if (last == T() && pending(t, ph))
                        atomicCAS(&state[t], cur, cur & 0xffffffff00000000ull);   // empty
                } else {
                    finishEnq();
                }
            } else {
                u64 cur = st(t);
                int n = (int)((unsigned)cur & NODEMASK);
                if (!pending(t, ph)) break;
                if (first == H() && n != first) {
                    u64 neu = (cur & 0xffffffff00000000ull) | PEND | (unsigned)first;
                    if (atomicCAS(&state[t], cur, neu) != cur) continue;
                }
                atomicCAS(&node[first].deqTid, -1, t);
                finishDeq();
            }
        }
    }
    __device__ void helpAll(unsigned ph)
    {
        for (int i = 0; i < nthreads; ++i) {
            u64 s = st(i);
            if (!((unsigned)s & PEND) || (unsigned)(s >> 32) > ph) continue;
            if ((unsigned)s & ENQ) helpEnq(i, ph); else helpDeq(i, ph);
        }
    }
};

// still found: kp_queue_enqueue
// wait-free queue, enqueue side, phases and state array (Kogan, Petrank PPoPP 2011)
extern "C" __global__ void kp_queue_enqueue(KpQueue *q, const int *in, int first_node, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= q->nthreads) return;
    for (int k = 0; k < per_thread; ++k) {
        int n = first_node + tid * per_thread + k;
        KpNode &d = q->node[n];
        d.value = in[tid * per_thread + k];
        d.next = 0;
        d.enqTid = tid;
        d.deqTid = -1;
        __threadfence();
        unsigned ph = q->maxPhase() + 1;
        atomicExch(&q->state[tid], ((u64)ph << 32) | PEND | ENQ | (unsigned)n);
        q->helpAll(ph);
        q->finishEnq();
    }
}

// still found: kp_queue_dequeue
// wait-free queue, dequeue side (Kogan, Petrank PPoPP 2011), -1 when empty
extern "C" __global__ void kp_queue_dequeue(KpQueue *q, int *out, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= q->nthreads) return;
    for (int k = 0; k < per_thread; ++k) {
        unsigned ph = q->maxPhase() + 1;
        atomicExch(&q->state[tid], ((u64)ph << 32) | PEND);
        q->helpAll(ph);
        q->finishDeq();
        int n = (int)((unsigned)q->st(tid) & NODEMASK);
        out[tid * per_thread + k] = n ? q->node[q->nextOf(n)].value : -1;
    }
}

// ---------------- baskets queue --------------------------------------------
__device__ int b_head, b_tail;
__device__ int b_next[1 << 16];          // -1 = end
__device__ int b_val[1 << 16];

// assumed: baskets_enqueue
// baskets queue, enqueue: losers of the link CAS go into the same basket (Hoffman, Shalev, Shavit 2007)
extern "C" __global__ void baskets_enqueue(const int *src, int *joined, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, j = 0;
    for (int k = 0; k < per_thread; ++k) {
        int n = 1 + tid * per_thread + k;
        b_val[n] = src[n - 1];
        bool done = false;
        while (!done) {
            int tail = *(volatile int *)&b_tail;
            int nx = *(volatile int *)&b_next[tail];
            if (nx != -1) {                                   // walk to the end, then fix the tail
                int e = nx, e2;
                while ((e2 = *(volatile int *)&b_next[e]) != -1) e = e2;
                atomicCAS(&b_tail, tail, e);
                continue;
            }
            *(volatile int *)&b_next[n] = -1;
            __threadfence();
            int was = atomicCAS(&b_next[tail], -1, n);
            if (was == -1) {
                atomicCAS(&b_tail, tail, n);
                break;
            }
            while (*(volatile int *)&b_tail == tail) {        // basket still open: insert at its front
                *(volatile int *)&b_next[n] = was;
                __threadfence();
                int w2 = atomicCAS(&b_next[tail], was, n);
                if (w2 == was) { done = true; ++j; break; }
                was = w2;
            }
        }
    }
    joined[tid] = j;
}
