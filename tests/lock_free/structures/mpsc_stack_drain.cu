// MPSC: producers prepend, the consumer exchanges the whole list, reverses it and runs it (Folly / ck_stack batch pop).
struct Node { Node *next; int v; };
__device__ void push(Node **top, Node *n) {
    Node *old = *(Node *volatile *)top, *seen;
    while (true) {
        n->next = old;
        __threadfence();
        seen = (Node *)atomicCAS((unsigned long long *)top, (unsigned long long)old, (unsigned long long)n);
        if (seen == old) break;
        old = seen;
    }
}
// assumed: k
extern "C" __global__ void k(Node **tops, Node *pool, int *sum, int n, int boxes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pool[i].v = i;
    push(&tops[i % boxes], pool + i);
    if (i >= boxes) return;
    Node *list = (Node *)atomicExch((unsigned long long *)&tops[i], 0ull), *rev = nullptr;
    while (list) { Node *next = list->next; list->next = rev; rev = list; list = next; }
    int s = 0;
    for (; rev; rev = rev->next) s = s * 31 + rev->v;
    atomicAdd(sum, s);
}
