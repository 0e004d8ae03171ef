// leaf-oriented search tree, a leaf becomes a router with two leaves by one CAS; deletion marks the leaf
//
// still found: _Z4editP4TreePKiiPi
struct TNode { int key; unsigned left, right; int dead; };    // a leaf has left == right == 0
struct Tree { TNode *n; unsigned root, used, cap; };
__device__ bool put(Tree *t, int key) {
    unsigned leaf = 0, router = 0;
    unsigned p = t->root;
    for (;;) {
        unsigned *link = key < t->n[p].key ? &t->n[p].left : &t->n[p].right;
        unsigned c = *(volatile unsigned *)link;
        TNode *cn = &t->n[c];
        if (cn->left | cn->right) { p = c; continue; }
        if (cn->key == key) return atomicExch(&cn->dead, 0) == 1;
        if (!leaf) {
            leaf = atomicAdd(&t->used, 2u); router = leaf + 1;
            if (router >= t->cap) return false;
            t->n[leaf].key = key; t->n[leaf].left = t->n[leaf].right = 0; t->n[leaf].dead = 0;
        }
        TNode *r = &t->n[router];
        r->key = max(key, cn->key);
        r->left = key < cn->key ? leaf : c;
        r->right = key < cn->key ? c : leaf;
        __threadfence();
        if (atomicCAS(link, c, router) == c) return true;
    }
}
__device__ bool drop(Tree *t, int key) {
    TNode *x = &t->n[t->root];
    while (true) {
        unsigned c = *(volatile unsigned *)(key < x->key ? &x->left : &x->right);
        if (c == 0) break;
        x = &t->n[c];
    }
    return x->key == key && atomicExch(&x->dead, 1) == 0;
}
__global__ void edit(Tree *t, const int *ops, int n, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool c = ops[i] > 0 ? put(t, ops[i]) : drop(t, -ops[i]);
    if (c) atomicAdd(changed, 1);
}
