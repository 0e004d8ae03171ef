// Wait-free contains of the Harris-Michael list (Heller et al.), and logical delete by fetch-and-or.
struct Node { int key; unsigned long long next; };
#define LD(p) (*(volatile unsigned long long *)(p))
__device__ bool contains(Node *head, int key, Node **where) {
    Node *at = head;
    while (at && at->key < key) at = (Node *)(LD(&at->next) & ~1ull);
    *where = at;
    return at && at->key == key && !(LD(&at->next) & 1);
}
// assumed: k
extern "C" __global__ void k(Node **heads, int m, const int *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Node *where;
    out[i] = 0;
    if (contains(heads[keys[i] % m], keys[i], &where)) out[i] = 1 + !(atomicOr(&where->next, 1ull) & 1);
}
