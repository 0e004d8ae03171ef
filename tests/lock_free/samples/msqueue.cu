// Michael & Scott queue, counted indices, helping of the tail
//
// assumed: _Z8pingpongP1QPKiPii
typedef unsigned long long u64;
struct Q { u64 head, tail; u64 *next; int *val; };
__device__ __forceinline__ unsigned ix(u64 p) { return (unsigned)(p & 0xffffffffu); }
__device__ __forceinline__ u64 mk(unsigned i, u64 old) { return ((old >> 32) + 1) << 32 | i; }
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ void enq(Q *q, unsigned node, int v) {
    q->val[node] = v;
    u64 n0 = ld(&q->next[node]);
    *(volatile u64 *)&q->next[node] = mk(0xffffffffu, n0);
    __threadfence();
    u64 tail;
    while (true) {
        tail = ld(&q->tail);
        u64 next = ld(&q->next[ix(tail)]);
        if (tail != ld(&q->tail)) continue;
        if (ix(next) == 0xffffffffu) {
            if (atomicCAS(&q->next[ix(tail)], next, mk(node, next)) == next) break;
        } else atomicCAS(&q->tail, tail, mk(ix(next), tail));
    }
    atomicCAS(&q->tail, tail, mk(node, tail));
}
__device__ bool deq(Q *q, int *v, unsigned *freed) {
    while (true) {
        u64 head = ld(&q->head), tail = ld(&q->tail), next = ld(&q->next[ix(head)]);
        if (head != ld(&q->head)) continue;
        if (ix(head) == ix(tail)) {
            if (ix(next) == 0xffffffffu) return false;
            atomicCAS(&q->tail, tail, mk(ix(next), tail));
        } else {
            *v = *(volatile int *)&q->val[ix(next)];
            if (atomicCAS(&q->head, head, mk(ix(next), head)) == head) { *freed = ix(head); return true; }
        }
    }
}
__global__ void pingpong(Q *q, const int *in, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    enq(q, t + 1, in[t]);
    int v = -1; unsigned f;
    out[t] = deq(q, &v, &f) ? v : -1;
}
