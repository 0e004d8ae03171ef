// Michael & Scott queues.
#include <cuda/atomic>
typedef unsigned long long u64;

struct MsNode { u64 next; int value; int pad; };     // next = cnt:32 | idx:32
struct MsQueue { u64 head; u64 tail; MsNode *node; };
#define NULLI 0xffffffffu

__device__ __forceinline__ u64 ld(const u64 *p) { return *(const volatile u64 *)p; }
__device__ __forceinline__ unsigned ix(u64 w) { return (unsigned)w; }
__device__ __forceinline__ u64 mk(u64 from, unsigned idx) { return (((from >> 32) + 1) << 32) | idx; }

__device__ void ms_enq(MsQueue *q, unsigned n)
{
    u64 nn = ld(&q->node[n].next);
    *(volatile u64 *)&q->node[n].next = mk(nn, NULLI);
    __threadfence();
    u64 tail;
    while (1) {
        tail = ld(&q->tail);
        u64 next = ld(&q->node[ix(tail)].next);
        if (tail != ld(&q->tail)) continue;
        if (ix(next) == NULLI) {
            if (atomicCAS(&q->node[ix(tail)].next, next, mk(next, n)) == next) break;
        } else {
            atomicCAS(&q->tail, tail, mk(tail, ix(next)));       // help the slow enqueuer
        }
    }
    atomicCAS(&q->tail, tail, mk(tail, n));
}

__device__ bool ms_deq(MsQueue *q, int *v, unsigned *freed)
{
    for (;;) {
        u64 head = ld(&q->head);
        u64 tail = ld(&q->tail);
        u64 next = ld(&q->node[ix(head)].next);
        if (head != ld(&q->head)) continue;
        if (ix(head) == ix(tail)) {
            if (ix(next) == NULLI) return false;
            atomicCAS(&q->tail, tail, mk(tail, ix(next)));
        } else {
            int val = *(volatile int *)&q->node[ix(next)].value;
            if (atomicCAS(&q->head, head, mk(head, ix(next))) == head) {
                *v = val;
                *freed = ix(head);
                return true;
            }
        }
    }
}

// nothing: msq_enqueue_idx
// Michael-Scott queue, enqueue with helping of the lagging tail (PODC 1996), counted indices
extern "C" __global__ void msq_enqueue_idx(MsQueue *q, const int *in, unsigned first_free, int per_thread)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        unsigned n = first_free + tid * per_thread + k;
        q->node[n].value = in[tid * per_thread + k];
        ms_enq(q, n);
    }
}

// nothing: msq_dequeue_idx
// Michael-Scott queue, dequeue (PODC 1996), false on empty
extern "C" __global__ void msq_dequeue_idx(MsQueue *q, int *out, int per_thread)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x, f;
    int v;
    for (int k = 0; k < per_thread; ++k)
        out[tid * per_thread + k] = ms_deq(q, &v, &f) ? v : -1;
}

// nothing: msq_recycle_mix
// Michael-Scott queue, dequeue then re-enqueue the freed dummy node (counted indices make it safe)
extern "C" __global__ void msq_recycle_mix(MsQueue *q, int *moved, int rounds)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    int v, m = 0;
    unsigned f;
    while (rounds-- > 0) {
        if (!ms_deq(q, &v, &f)) break;
        *(volatile int *)&q->node[f].value = v + (int)tid;
        ms_enq(q, f);
        ++m;
    }
    moved[tid] = m;
}

template <typename T> struct RNode { T v; RNode *next; };

template <typename T> struct RefQueue {
    RNode<T> *head, *tail;
    using Ref = cuda::atomic_ref<RNode<T> *, cuda::thread_scope_device>;

    __device__ void enqueue(RNode<T> *n)
    {
        Ref(n->next).store(nullptr, cuda::memory_order_relaxed);
        Ref t(tail);
        for (;;) {
            RNode<T> *last = t.load(cuda::memory_order_acquire);
            Ref ln(last->next);
            RNode<T> *expected = nullptr;
            if (ln.compare_exchange_strong(expected, n, cuda::memory_order_acq_rel)) {
                t.compare_exchange_strong(last, n, cuda::memory_order_release);
                return;
            }
            t.compare_exchange_strong(last, expected, cuda::memory_order_release);
        }
    }
    __device__ bool dequeue(T &r)
    {
        Ref h(head), t(tail);
        while (true) {
            RNode<T> *first = h.load(cuda::memory_order_acquire);
            RNode<T> *last = t.load(cuda::memory_order_acquire);
            RNode<T> *nx = Ref(first->next).load(cuda::memory_order_acquire);
            if (first != h.load(cuda::memory_order_acquire)) continue;
            if (nx == nullptr) return false;
            if (first == last) {
                t.compare_exchange_strong(last, nx, cuda::memory_order_acq_rel);
                continue;
            }
            r = nx->v;
            if (h.compare_exchange_strong(first, nx, cuda::memory_order_acq_rel)) return true;
        }
    }
};

// nothing: msq_pairs_ref
// Michael-Scott queue of pointers, enqueue/dequeue pairs, cuda::atomic_ref (PODC 1996)
extern "C" __global__ void msq_pairs_ref(RefQueue<double> *q, RNode<double> *pool, double *sum, int pairs)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0, d;
    for (int i = 0; i < pairs; ++i) {
        RNode<double> *n = pool + (size_t)tid * pairs + i;
        n->v = tid * 0.25;
        q->enqueue(n);
        if (q->dequeue(d)) s += d;
    }
    sum[tid] = s;
}

// found: msq_pop_until_item
// Michael-Scott queue whose consumer insists on an item: waits for an enqueuer while empty
extern "C" __global__ void msq_pop_until_item(MsQueue *q, int *out, int per_thread)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x, f;
    for (int k = 0; k < per_thread; ++k) {
        int v;
        while (!ms_deq(q, &v, &f)) __threadfence();
        out[tid * per_thread + k] = v;
    }
}
