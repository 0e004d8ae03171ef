// Harris 2001 ordered list, mark bit 0 of next; search unlinks marked segments.
typedef unsigned long long u64;
struct Node { int key; u64 next; };
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ __forceinline__ Node *ptr(u64 x) { return (Node *)(x & ~1ull); }
__device__ Node *search(Node *head, Node *tail, int key, Node **left) {
    u64 left_next = 0;
    Node *right;
    while (true) {
        Node *t = head;
        u64 t_next = ld(&head->next);
        do {
            if (!(t_next & 1)) { *left = t; left_next = t_next; }
            t = ptr(t_next);
            if (t == tail) break;
            t_next = ld(&t->next);
        } while ((t_next & 1) || t->key < key);
        right = t;
        if (ptr(left_next) == right) {
            if (right != tail && (ld(&right->next) & 1)) continue;
            return right;
        }
        if (atomicCAS(&(*left)->next, left_next, (u64)right) == left_next) {
            if (right != tail && (ld(&right->next) & 1)) continue;
            return right;
        }
    }
}
__device__ bool insert(Node *head, Node *tail, Node *n) {
    Node *left, *right;
    do {
        right = search(head, tail, n->key, &left);
        if (right != tail && right->key == n->key) return false;
        n->next = (u64)right;
        __threadfence();
        if (atomicCAS(&left->next, (u64)right, (u64)n) == (u64)right) return true;
    } while (true);
}
__device__ bool remove(Node *head, Node *tail, int key) {
    Node *left, *right;
    u64 right_next;
    while (true) {
        right = search(head, tail, key, &left);
        if (right == tail || right->key != key) return false;
        right_next = ld(&right->next);
        if (!(right_next & 1))
            if (atomicCAS(&right->next, right_next, right_next | 1) == right_next) break;
    }
    if (atomicCAS(&left->next, (u64)right, right_next) != (u64)right) search(head, tail, key, &left);
    return true;
}
// assumed: k
extern "C" __global__ void k(Node *head, Node *tail, Node *pool, const int *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pool[i].key = keys[i];
    int r = insert(head, tail, pool + i);
    r |= remove(head, tail, keys[n - 1 - i]) << 1;
    out[i] = r;
}
