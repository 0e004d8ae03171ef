// Michael & Scott 1996: pointers are (tag, index) in 64 bits, with helping of the tail.
typedef unsigned long long u64;
struct Node { int value; u64 next; };
struct Queue { u64 head, tail; };
__device__ __forceinline__ unsigned idx(u64 p) { return (unsigned)p; }
__device__ __forceinline__ u64 with(u64 p, unsigned i) { return ((p >> 32) + 1) << 32 | i; }
#define NIL 0xffffffffu
__device__ void enqueue(Queue *q, Node *pool, unsigned node, int value) {
    pool[node].value = value;
    pool[node].next = with(pool[node].next, NIL);
    __threadfence();
    u64 tail;
    while (true) {
        tail = *(volatile u64 *)&q->tail;
        u64 next = *(volatile u64 *)&pool[idx(tail)].next;
        if (tail != *(volatile u64 *)&q->tail) continue;
        if (idx(next) == NIL) {
            if (atomicCAS(&pool[idx(tail)].next, next, with(next, node)) == next) break;
        } else {
            atomicCAS(&q->tail, tail, with(tail, idx(next)));
        }
    }
    atomicCAS(&q->tail, tail, with(tail, node));
}
__device__ bool dequeue(Queue *q, Node *pool, int *value) {
    while (true) {
        u64 head = *(volatile u64 *)&q->head;
        u64 tail = *(volatile u64 *)&q->tail;
        u64 next = *(volatile u64 *)&pool[idx(head)].next;
        if (head != *(volatile u64 *)&q->head) continue;
        if (idx(head) == idx(tail)) {
            if (idx(next) == NIL) return false;
            atomicCAS(&q->tail, tail, with(tail, idx(next)));
        } else {
            *value = pool[idx(next)].value;
            if (atomicCAS(&q->head, head, with(head, idx(next))) == head) return true;
        }
    }
}
// assumed: k
extern "C" __global__ void k(Queue *q, Node *pool, int *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    enqueue(q, pool, i + 1, i);
    int v = -1;
    dequeue(q, pool, &v);
    out[i] = v;
}
