// Treiber stack, pointer based, no ABA tag (nodes are not reused in the kernel).
struct Node { Node *next; int value; };
__device__ void push(Node **top, Node *n) {
    Node *old = *(Node *volatile *)top;
    for (;;) {
        n->next = old;
        __threadfence();
        Node *seen = (Node *)atomicCAS((unsigned long long *)top, (unsigned long long)old, (unsigned long long)n);
        if (seen == old) return;
        old = seen;
    }
}
__device__ Node *pop(Node **top) {
    Node *old, *next;
    do {
        old = *(Node *volatile *)top;
        if (!old) return nullptr;
        next = old->next;
    } while (atomicCAS((unsigned long long *)top, (unsigned long long)old, (unsigned long long)next) != (unsigned long long)old);
    return old;
}
// assumed: stack
extern "C" __global__ void stack(Node **top, Node *nodes, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    nodes[i].value = i;
    push(top, nodes + i);
    Node *m = pop(top);
    out[i] = m ? m->value : -1;
}
