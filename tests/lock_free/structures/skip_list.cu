// Lock-free skip list (Herlihy-Shavit / Misra-Chaudhuri on GPUs): find snips marked nodes, add links level by level, remove marks.
typedef unsigned long long u64;
#define LEVELS 8
struct Node { int key; int top; u64 next[LEVELS]; };  // index << 1 | mark; 0 head, 1 tail
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ bool find(Node *pool, int key, unsigned *preds, unsigned *succs) {
retry:
    unsigned pred = 0, curr = 0;
    for (int level = LEVELS - 1; level >= 0; --level) {
        curr = ld(&pool[pred].next[level]) >> 1;
        while (true) {
            u64 succ = ld(&pool[curr].next[level]);
            while (succ & 1) {
                if (atomicCAS(&pool[pred].next[level], (u64)curr << 1, succ & ~1ull) != (u64)curr << 1) goto retry;
                curr = ld(&pool[pred].next[level]) >> 1;
                succ = ld(&pool[curr].next[level]);
            }
            if (curr != 1 && pool[curr].key < key) { pred = curr; curr = succ >> 1; }
            else break;
        }
        preds[level] = pred;
        succs[level] = curr;
    }
    return curr != 1 && pool[curr].key == key;
}
__device__ bool add(Node *pool, unsigned node, int key, int top) {
    unsigned preds[LEVELS], succs[LEVELS];
    while (true) {
        if (find(pool, key, preds, succs)) return false;
        pool[node].key = key; pool[node].top = top;
        for (int l = 0; l <= top; ++l) pool[node].next[l] = (u64)succs[l] << 1;
        __threadfence();
        if (atomicCAS(&pool[preds[0]].next[0], (u64)succs[0] << 1, (u64)node << 1) != (u64)succs[0] << 1) continue;
        for (int l = 1; l <= top; ++l) {
            while (true) {
                u64 mine = ld(&pool[node].next[l]);
                if (mine & 1) return true;
                if (mine >> 1 != succs[l] && atomicCAS(&pool[node].next[l], mine, (u64)succs[l] << 1) != mine) continue;
                if (atomicCAS(&pool[preds[l]].next[l], (u64)succs[l] << 1, (u64)node << 1) == (u64)succs[l] << 1) break;
                if (!find(pool, key, preds, succs)) return true;
            }
        }
        return true;
    }
}
__device__ bool remove(Node *pool, int key) {
    unsigned preds[LEVELS], succs[LEVELS];
    if (!find(pool, key, preds, succs)) return false;
    Node *n = pool + succs[0];
    for (int l = n->top; l > 0; --l) {
        u64 succ = ld(&n->next[l]);
        while (!(succ & 1)) { atomicCAS(&n->next[l], succ, succ | 1); succ = ld(&n->next[l]); }
    }
    u64 succ = ld(&n->next[0]);
    while (true) {
        u64 seen = atomicCAS(&n->next[0], succ & ~1ull, succ | 1);
        if (seen == (succ & ~1ull)) { find(pool, key, preds, succs); return true; }
        if (seen & 1) return false;
        succ = seen;
    }
}
// still found: k
extern "C" __global__ void k(Node *pool, const int *keys, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = add(pool, i + 2, keys[i], __ffs(keys[i] | 1 << (LEVELS - 1)) - 1);
    out[i] = r | remove(pool, keys[n - 1 - i]) << 1;
}
