// lock-free skip list set (Herlihy & Shavit), insert and delete; mark in the low bit of an index
//
// still found: _Z3opsP5SNodePKiS2_Pii
#define LEVELS 8
typedef unsigned u32;
struct SNode { int key; int height; u32 next[LEVELS]; };
__device__ u32 load(const SNode *n, u32 i, int l) { return *(const volatile u32 *)&n[i].next[l]; }
__device__ bool find(SNode *n, int key, u32 *preds, u32 *succs) {
retry:
    u32 pred = 0;
    for (int l = LEVELS - 1; l >= 0; l--) {
        u32 curr = load(n, pred, l) >> 1;
        while (curr != 1) {                     // 1 is the sentinel at the end
            u32 s = load(n, curr, l);
            while (s & 1) {
                if (atomicCAS(&n[pred].next[l], curr << 1, s & ~1u) != curr << 1) goto retry;
                curr = s >> 1;
                if (curr == 1) break;
                s = load(n, curr, l);
            }
            if (curr == 1 || n[curr].key >= key) break;
            pred = curr; curr = s >> 1;
        }
        preds[l] = pred; succs[l] = curr;
    }
    return succs[0] != 1 && n[succs[0]].key == key;
}
__device__ bool insert(SNode *n, u32 me, int key, int h) {
    u32 preds[LEVELS], succs[LEVELS];
    n[me].key = key; n[me].height = h;
    while (true) {
        if (find(n, key, preds, succs)) return false;
        for (int l = 0; l < h; l++) *(volatile u32 *)&n[me].next[l] = succs[l] << 1;
        __threadfence();
        if (atomicCAS(&n[preds[0]].next[0], succs[0] << 1, me << 1) == succs[0] << 1) break;
    }
    for (int l = 1; l < h; l++) {
        while (true) {
            u32 mine = load(n, me, l);
            if (mine & 1) return true;
            if (mine >> 1 != succs[l] && atomicCAS(&n[me].next[l], mine, succs[l] << 1) != mine) return true;
            if (atomicCAS(&n[preds[l]].next[l], succs[l] << 1, me << 1) == succs[l] << 1) break;
            find(n, key, preds, succs);
        }
    }
    return true;
}
__device__ bool remove(SNode *n, int key) {
    u32 preds[LEVELS], succs[LEVELS];
    if (!find(n, key, preds, succs)) return false;
    u32 v = succs[0];
    for (int l = n[v].height - 1; l >= 1; l--) atomicOr(&n[v].next[l], 1u);
    bool won = !(atomicOr(&n[v].next[0], 1u) & 1);
    if (won) find(n, key, preds, succs);
    return won;
}
__global__ void ops(SNode *n, const int *keys, const int *heights, int *res, int count) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    res[t] = keys[t] >= 0 ? insert(n, t + 2, keys[t], heights[t]) : remove(n, -keys[t]);
}
