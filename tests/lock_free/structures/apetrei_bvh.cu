// Apetrei 2014 / Karras 2012: bottom-up bounds, the second to come to a node goes on.
struct Node { int parent, left, right; float lo[3], hi[3]; };
// nothing: bounds
extern "C" __global__ void bounds(Node *nodes, int *flags, int leaves) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= leaves) return;
    int at = nodes[leaves - 1 + i].parent;
    while (at != -1) {
        if (atomicAdd(&flags[at], 1) == 0) return;
        __threadfence();
        volatile Node *l = &nodes[nodes[at].left], *r = &nodes[nodes[at].right];
        for (int k = 0; k < 3; ++k) { nodes[at].lo[k] = fminf(l->lo[k], r->lo[k]); nodes[at].hi[k] = fmaxf(l->hi[k], r->hi[k]); }
        __threadfence();
        at = nodes[at].parent;
    }
}
__device__ int delta(const unsigned *code, int i) { return code[i] ^ code[i + 1]; }
// nothing: build
extern "C" __global__ void build(const unsigned *code, int2 *range, int *other, Node *nodes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = i, right = i, cur = n - 1 + i;
    while (left != 0 || right != n - 1) {
        int parent, prev;
        if (left == 0 || (right != n - 1 && delta(code, right) < delta(code, left - 1))) {
            parent = right;
            nodes[parent].left = cur;
            __threadfence();
            prev = atomicExch(&other[parent], left);
            if (prev == -1) return;
            right = prev;
        } else {
            parent = left - 1;
            nodes[parent].right = cur;
            __threadfence();
            prev = atomicExch(&other[parent], right);
            if (prev == -1) return;
            left = prev;
        }
        nodes[cur].parent = parent;
        cur = parent;
    }
}
