// Treiber stack with a 128-bit {pointer, tag} pair; CAS of what was last read; fails only by another's push or pop;
// empty leaves.

// nothing: dw
struct __align__(16) pair { unsigned long long p, tag; };
struct node { node *next; int v; };
__device__ pair head;
__device__ node nodes[32];
extern "C" __global__ void dw(int *out)
{
    node *n = &nodes[threadIdx.x];
    n->v = threadIdx.x + 1;
    pair o = { 0, 0 }, s;
    for (;;) {
        n->next = (node *)o.p;
        __threadfence();
        pair w = { (unsigned long long)n, o.tag + 1 };
        s = atomicCAS(&head, o, w);
        if (s.p == o.p && s.tag == o.tag) break;
        o = s;
    }
    o = atomicCAS(&head, pair{0, 0}, pair{0, 0});
    int r = 0;
    while (o.p) {
        pair w = { (unsigned long long)*(node *volatile *)&((node *)o.p)->next, o.tag + 1 };
        s = atomicCAS(&head, o, w);
        if (s.p == o.p && s.tag == o.tag) { r = ((node *)o.p)->v; break; }
        o = s;
    }
    out[threadIdx.x] = r > 0;
}
