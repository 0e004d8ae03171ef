// Baskets queue (Hoffman, Shalev, Shavit 2007), enqueue: losers of the CAS at the tail join the basket.
typedef unsigned long long u64;  // tag 31 | deleted 1 | index 32
struct Node { int value; u64 next; };
struct Queue { u64 head, tail; };
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ __forceinline__ unsigned idx(u64 p) { return (unsigned)p; }
__device__ __forceinline__ bool del(u64 p) { return p >> 32 & 1; }
__device__ __forceinline__ u64 make(unsigned i, unsigned d, u64 tag) { return tag << 33 | (u64)d << 32 | i; }
__device__ __forceinline__ u64 tag(u64 p) { return p >> 33; }
__device__ void enqueue(Queue *q, Node *pool, unsigned nd, int value) {
    pool[nd].value = value;
    while (true) {
        u64 tail = ld(&q->tail);
        u64 next = ld(&pool[idx(tail)].next);
        if (tail != ld(&q->tail)) continue;
        if (idx(next) == 0) {
            pool[nd].next = make(0, 0, tag(tail) + 2);
            __threadfence();
            if (atomicCAS(&pool[idx(tail)].next, next, make(nd, 0, tag(tail) + 1)) == next) {
                atomicCAS(&q->tail, tail, make(nd, 0, tag(tail) + 1));
                return;
            }
            next = ld(&pool[idx(tail)].next);
            while (tag(next) == tag(tail) + 1 && !del(next)) {
                pool[nd].next = next;
                __threadfence();
                if (atomicCAS(&pool[idx(tail)].next, next, make(nd, 0, tag(tail) + 1)) == next) return;
                next = ld(&pool[idx(tail)].next);
            }
        } else {
            while (idx(ld(&pool[idx(next)].next)) != 0 && ld(&q->tail) == tail) next = ld(&pool[idx(next)].next);
            atomicCAS(&q->tail, tail, make(idx(next), 0, tag(tail) + 1));
        }
    }
}
// still found: k
extern "C" __global__ void k(Queue *q, Node *pool, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) enqueue(q, pool, i + 2, i);
}
