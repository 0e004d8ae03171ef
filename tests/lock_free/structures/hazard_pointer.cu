// Hazard pointers (Michael 2004): acquire publishes and validates; used for a pop; scan is a bounded pass.
struct Node { Node *next; int value; };
#define LDP(p) (*(Node *volatile *)(p))
__device__ Node *protect(Node **src, Node **hazard) {
    Node *p, *q = LDP(src);
    do {
        p = q;
        *(Node *volatile *)hazard = p;
        __threadfence();
        q = LDP(src);
    } while (p != q);
    return p;
}
__device__ Node *pop(Node **top, Node **hazard) {
    while (true) {
        Node *t = protect(top, hazard);
        if (t == nullptr) return nullptr;
        Node *next = LDP(&t->next);
        if (atomicCAS((unsigned long long *)top, (unsigned long long)t, (unsigned long long)next) == (unsigned long long)t) {
            *(Node *volatile *)hazard = nullptr;
            return t;
        }
    }
}
// assumed: k
extern "C" __global__ void k(Node **top, Node **hazards, int threads, Node **retired, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    Node *n = pop(top, hazards + i);
    bool used = false;
    if (n) {
        out[i] = n->value;
        for (int j = 0; j < threads; ++j) used |= LDP(&hazards[j]) == n;
    }
    retired[i] = used ? n : nullptr;
}
