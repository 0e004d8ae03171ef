// Pointer push by CAS; take-all by one exchange; the walk is over a list that is this thread's alone (links come to an
// end).

// nothing: k
struct node { node *next; int v; };
__device__ node *top;
__device__ node pool[64];
extern "C" __global__ void k(int *out)
{
    node *n = &pool[threadIdx.x];
    n->v = threadIdx.x + 1;
    node *h = *(node *volatile *)&top;
    while (true) {
        n->next = h;
        __threadfence();
        node *s = (node *)atomicCAS((unsigned long long *)&top, (unsigned long long)h, (unsigned long long)n);
        if (s == h) break;
        h = s;
    }
    node *all = (node *)atomicExch((unsigned long long *)&top, 0ull);
    int sum = 0;
    for (; all; all = all->next) sum += all->v;
    out[threadIdx.x] = sum;
}
