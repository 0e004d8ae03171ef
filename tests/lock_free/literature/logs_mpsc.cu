// Slots, logs, MPSC lists, sequence numbers, and their blocking cousins.
#include <cuda/atomic>

// nothing: slots_claim_release
// flat array of slots, claim by CAS from a hashed start, give up after one round
extern "C" __global__ void slots_claim_release(int *owner, int nslots, float *data, int *fails, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, bad = 0;
    for (int r = 0; r < rounds; ++r) {
        int s = -1, start = (tid * 7919 + r) % nslots;
        for (int k = 0; k < nslots; ++k) {
            int i = start + k < nslots ? start + k : start + k - nslots;
            if (*(volatile int *)&owner[i] == 0 && atomicCAS(&owner[i], 0, tid + 1) == 0) { s = i; break; }
        }
        if (s < 0) { ++bad; continue; }
        data[s] += 1.0f;
        __threadfence();
        atomicExch(&owner[s], 0);
    }
    fails[tid] = bad;
}

struct LogRec { unsigned stamp; unsigned a, b; };

// nothing: ring_log_stamp
// overwriting ring log (trace-buffer style): tickets by fetch-and-add, reader drops torn records
extern "C" __global__ void ring_log_stamp(LogRec *ring, unsigned mask, unsigned *ticket, unsigned *good, int n)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid & 1) {
        for (int i = 0; i < n; ++i) {
            unsigned t = atomicAdd(ticket, 1u);
            volatile LogRec *r = &ring[t & mask];
            r->stamp = 0;
            __threadfence();
            r->a = tid; r->b = ~tid;
            __threadfence();
            r->stamp = t + 1;
        }
        good[tid] = 0;
    } else {
        unsigned ok = 0, end = *(volatile unsigned *)ticket;
        unsigned begin = end > mask ? end - mask : 0;
        for (unsigned t = begin; t != end; ++t) {
            volatile LogRec *r = &ring[t & mask];
            unsigned s1 = r->stamp;
            __threadfence();
            unsigned a = r->a, b = r->b;
            __threadfence();
            if (s1 == t + 1 && r->stamp == s1 && a == ~b) ++ok;
        }
        good[tid] = ok;
    }
}

struct Mpsc { int head; int tail; int *next; int *val; };      // next 0 = not linked (yet)

// nothing: mpsc_exchange_poll
// intrusive MPSC list (D. Vyukov): exchange, then link; the consumer stops at a missing link
extern "C" __global__ void mpsc_exchange_poll(Mpsc *q, int *sum, int per_thread, int polls)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid != 0) {
        for (int k = 0; k < per_thread; ++k) {
            int n = 1 + tid * per_thread + k;
            q->val[n] = k;
            *(volatile int *)&q->next[n] = 0;
            __threadfence();
            int prev = atomicExch(&q->head, n);
            *(volatile int *)&q->next[prev] = n;
        }
    } else {
        int s = 0;
        for (int p = 0; p < polls; ++p) {
            int nx = *(volatile int *)&q->next[q->tail];
            if (nx == 0) continue;                             // empty, or a producer in the middle
            __threadfence();
            q->tail = nx;
            s += *(volatile int *)&q->val[nx];
        }
        *sum = s;
    }
}

struct Msg { Msg *next; int body; };

// nothing: mpsc_batch_reverse
// MPSC mailbox: CAS push, the consumer detaches everything and reverses it to arrival order; cuda::atomic_ref
extern "C" __global__ void mpsc_batch_reverse(Msg **inbox, Msg *pool, int *log, int log_cap, int *log_len, int msgs)
{
    cuda::atomic_ref<Msg *, cuda::thread_scope_device> box(inbox[blockIdx.x]);
    if (threadIdx.x > 0) {
        for (int i = 0; i < msgs; ++i) {
            Msg *m = pool + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * msgs + i;
            m->body = i;
            Msg *h = box.load(cuda::memory_order_relaxed);
            do { m->next = h; } while (!box.compare_exchange_weak(h, m, cuda::memory_order_acq_rel));
        }
        return;
    }
    int len = 0;
    for (int round = 0; round < 4; ++round) {
        Msg *l = box.exchange(nullptr, cuda::memory_order_acquire), *rev = nullptr;
        while (l) { Msg *n = l->next; l->next = rev; rev = l; l = n; }
        for (; rev && len < log_cap; rev = rev->next) log[blockIdx.x * log_cap + len++] = rev->body;
    }
    log_len[blockIdx.x] = len;
}

struct Rec { unsigned seq; float x, y, z; };

// nothing: seq_read_bounded
// sequence-numbered records, one writer per record, readers try 8 times and then report staleness
extern "C" __global__ void seq_read_bounded(Rec *rec, int nrec, float *sum, int *stale, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.f;
    int miss = 0;
    for (int r = 0; r < rounds; ++r) {
        if (tid < nrec) {
            volatile Rec *w = &rec[tid];
            unsigned s = w->seq;
            w->seq = s + 1;
            __threadfence();
            w->x = r; w->y = 2 * r; w->z = 3 * r;
            __threadfence();
            w->seq = s + 2;
        }
        volatile Rec *v = &rec[(tid + r) % nrec];
        bool ok = false;
        for (int a = 0; a < 8 && !ok; ++a) {
            unsigned s0 = v->seq;
            if (s0 & 1) continue;
            __threadfence();
            float x = v->x, y = v->y, z = v->z;
            __threadfence();
            if (v->seq == s0) { acc += x + y + z; ok = true; }
        }
        miss += !ok;
    }
    sum[tid] = acc;
    stale[tid] = miss;
}

// found: seqlock_spin_odd
// seqlock reader that spins while the number is odd (waits for the writer)
extern "C" __global__ void seqlock_spin_odd(const Rec *rec, int nrec, float *out)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const volatile Rec *v = &rec[tid % nrec];
    unsigned s0;
    float x, y, z;
    do {
        while ((s0 = v->seq) & 1) { }
        __threadfence();
        x = v->x; y = v->y; z = v->z;
        __threadfence();
    } while (v->seq != s0);
    out[tid] = x + y + z;
}

// found: mpsc_exchange_wait_link
// Vyukov's MPSC list, but the consumer waits for the producer's link if the list is not empty
extern "C" __global__ void mpsc_exchange_wait_link(Mpsc *q, int *out, int cap)
{
    int n = 0;
    while (n < cap && q->tail != *(volatile int *)&q->head) {
        int nx;
        while ((nx = *(volatile int *)&q->next[q->tail]) == 0) { }
        q->tail = nx;
        out[n++] = *(volatile int *)&q->val[nx];
    }
}

// found: mcs_lock_counter
// MCS queue lock (Mellor-Crummey, Scott 1991), one contender per block
extern "C" __global__ void mcs_lock_counter(int *tail, int *next, int *locked, int *counter, int rounds)
{
    if (threadIdx.x != 0) return;
    int me = blockIdx.x + 1;
    volatile int *vn = next, *vl = locked;
    for (int r = 0; r < rounds; ++r) {
        vn[me] = 0;
        vl[me] = 1;
        __threadfence();
        int prev = atomicExch(tail, me);
        if (prev) {
            vn[prev] = me;
            while (vl[me]) { }
        }
        *(volatile int *)counter += 1;
        __threadfence();
        if (vn[me] == 0) {
            if (atomicCAS(tail, me, 0) == me) continue;
            while (vn[me] == 0) { }
        }
        vl[vn[me]] = 0;
    }
}
