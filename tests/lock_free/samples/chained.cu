// chained hash table: insert if absent, new nodes at the head
//
// assumed: _Z9wordcount5TablePKji
struct Node { unsigned key; unsigned count; Node *next; };
struct Table { Node **heads; unsigned buckets; Node *pool; unsigned *used; unsigned limit; };
__device__ Node *lookup(Node *from, Node *to, unsigned key) {
    for (Node *n = from; n != to; n = n->next) if (n->key == key) return n;
    return nullptr;
}
__device__ Node *getOrInsert(Table &t, unsigned key) {
    Node *volatile *head = (Node *volatile *)&t.heads[key * 2654435761u % t.buckets];
    Node *mine = nullptr, *first = *head, *seen = nullptr;
    while (true) {
        if (Node *hit = lookup(first, seen, key)) return hit;
        if (!mine) {
            unsigned k = atomicAdd(t.used, 1);
            if (k >= t.limit) return nullptr;
            mine = t.pool + k; mine->key = key; mine->count = 0;
        }
        mine->next = first;
        __threadfence();
        Node *old = (Node *)atomicCAS((unsigned long long *)head, (unsigned long long)first, (unsigned long long)mine);
        if (old == first) return mine;
        seen = first; first = old;
    }
}
__global__ void wordcount(Table t, const unsigned *words, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (Node *x = getOrInsert(t, words[i])) atomicAdd(&x->count, 1u);
}
