// Harris 2001 linked list with pointers, marks in bit 0
//
// assumed: _Z8list_opsP4ItemS0_S0_PKiiPi
#include <cstdint>
struct alignas(16) Item { int key; uintptr_t next; };
__device__ __forceinline__ bool marked(uintptr_t p) { return p & 1; }
__device__ __forceinline__ Item *ptr(uintptr_t p) { return (Item *)(p & ~(uintptr_t)1); }
__device__ __forceinline__ uintptr_t rd(Item *i) { return *(volatile uintptr_t *)&i->next; }
__device__ __forceinline__ bool cas(uintptr_t *a, uintptr_t o, uintptr_t n) {
    return atomicCAS((unsigned long long *)a, (unsigned long long)o, (unsigned long long)n) == o;
}
__device__ Item *search(Item *head, Item *tail, int key, Item **left) {
    Item *right; uintptr_t leftNext = 0;
    do {
        Item *t = head; uintptr_t tn = rd(head);
        do {
            if (!marked(tn)) { *left = t; leftNext = tn; }
            t = ptr(tn);
            if (t == tail) break;
            tn = rd(t);
        } while (marked(tn) || t->key < key);
        right = t;
        if (leftNext == (uintptr_t)right) {
            if (right != tail && marked(rd(right))) continue;
            return right;
        }
        if (cas(&(*left)->next, leftNext, (uintptr_t)right)) {
            if (right != tail && marked(rd(right))) continue;
            return right;
        }
    } while (true);
}
__device__ bool add(Item *head, Item *tail, Item *n) {
    Item *l;
    do {
        Item *r = search(head, tail, n->key, &l);
        if (r != tail && r->key == n->key) return false;
        n->next = (uintptr_t)r;
        __threadfence();
        if (cas(&l->next, (uintptr_t)r, (uintptr_t)n)) return true;
    } while (true);
}
__device__ bool del(Item *head, Item *tail, int key) {
    Item *l, *r; uintptr_t rn;
    do {
        r = search(head, tail, key, &l);
        if (r == tail || r->key != key) return false;
        rn = rd(r);
        if (!marked(rn) && cas(&r->next, rn, rn | 1)) break;
    } while (true);
    if (!cas(&l->next, (uintptr_t)r, rn)) search(head, tail, key, &l);
    return true;
}
__global__ void list_ops(Item *head, Item *tail, Item *pool, const int *op, int n, int *ok) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (op[i] > 0) { pool[i].key = op[i]; ok[i] = add(head, tail, pool + i); }
    else ok[i] = del(head, tail, -op[i]);
}
