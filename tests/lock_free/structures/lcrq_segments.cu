// LCRQ-like linked segments (FAA array queue, Ramalhete/Correia): enqueue by FAA + CAS, a full segment gets a successor.
#define SEG 1024
struct Segment { unsigned enq, deq; Segment *next; unsigned items[SEG]; };  // items: 0 empty, ~0 taken
struct Queue { Segment *head, *tail; };
#define CASP(p, a, b) ((Segment *)atomicCAS((unsigned long long *)(p), (unsigned long long)(a), (unsigned long long)(b)))
#define LDP(p) (*(Segment *volatile *)(p))
__device__ bool enqueue(Queue *q, Segment *pool, unsigned *used, unsigned limit, unsigned item) {
    while (true) {
        Segment *tail = LDP(&q->tail);
        unsigned idx = atomicAdd(&tail->enq, 1);
        if (idx > SEG - 1) {
            if (tail != LDP(&q->tail)) continue;
            Segment *next = LDP(&tail->next);
            if (next == nullptr) {
                unsigned fresh = atomicAdd(used, 1);
                if (fresh >= limit) return false;
                Segment *s = pool + fresh;
                s->enq = 1; s->deq = 0; s->next = nullptr; s->items[0] = item;
                __threadfence();
                if (CASP(&tail->next, nullptr, s) == nullptr) { CASP(&q->tail, tail, s); return true; }
            } else CASP(&q->tail, tail, next);
            continue;
        }
        if (atomicCAS(&tail->items[idx], 0u, item) == 0) return true;
    }
}
__device__ unsigned dequeue(Queue *q) {
    while (true) {
        Segment *head = LDP(&q->head);
        if (*(volatile unsigned *)&head->deq >= *(volatile unsigned *)&head->enq && LDP(&head->next) == nullptr) return 0;
        unsigned idx = atomicAdd(&head->deq, 1);
        if (idx > SEG - 1) {
            Segment *next = LDP(&head->next);
            if (next == nullptr) return 0;
            CASP(&q->head, head, next);
            continue;
        }
        unsigned item = atomicExch(&head->items[idx], 0xffffffffu);
        if (item != 0) return item;
    }
}
// nothing: k
extern "C" __global__ void k(Queue *q, Segment *pool, unsigned *used, unsigned limit, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    enqueue(q, pool, used, limit, i + 1);
    out[i] = dequeue(q);
}
