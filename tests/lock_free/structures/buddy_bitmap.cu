// Non-blocking buddy system (Marotta et al. 2018, one byte states here words): claim a node of a binary tree, mark ancestors as partly used, undo if one is taken.
#define OCC 4u
#define PART 3u
__device__ bool try_alloc(unsigned *tree, unsigned node, unsigned *failed_at) {
    if (atomicCAS(&tree[node], 0u, OCC) != 0) { *failed_at = node; return false; }
    unsigned cur = node;
    while (cur > 1) {
        unsigned child = cur;
        cur >>= 1;
        unsigned bit = child & 1 ? 1u : 2u, old = *(volatile unsigned *)&tree[cur], seen;
        while (true) {
            if (old & OCC) {
                for (unsigned u = node; u != child;) { unsigned c = u; u >>= 1; atomicAnd(&tree[u], c & 1 ? ~1u : ~2u); }
                atomicExch(&tree[node], 0u);
                *failed_at = cur;
                return false;
            }
            seen = atomicCAS(&tree[cur], old, old | bit);
            if (seen == old) break;
            old = seen;
        }
    }
    return true;
}
// still found: k
extern "C" __global__ void k(unsigned *tree, int depth, const int *levels, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int level = min(levels[i], depth);
    unsigned first = 1u << level, end = 2u << level;
    out[i] = 0;
    for (unsigned node = first; node < end;) {
        unsigned failed;
        if (*(volatile unsigned *)&tree[node] == 0) {
            if (try_alloc(tree, node, &failed)) { out[i] = node; return; }
            int d = level - (31 - __clz(failed));
            node = (failed + 1) << d;
        } else ++node;
    }
}
