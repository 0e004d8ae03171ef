// Lock-free skip list, 64-bit tagged pointers, nodes from a caller-supplied array.
// Fraser 2003 / Herlihy & Shavit ch. 14; priority queue after Lotan & Shavit.
#include <cstdint>

#define MAXL 16
typedef unsigned long long word;

struct SNode {
    uint32_t key;
    int      top;        // highest level of this node
    int      taken;      // used by the priority queue
    int      payload;
    word     next[MAXL]; // address | deleted
};

class SkipList {
public:
    SNode* head;         // key 0, never deleted
    SNode* tail;         // key 0xffffffff

    static __device__ SNode* ptr(word w)    { return (SNode*)(w & ~1ull); }
    static __device__ bool   marked(word w) { return w & 1ull; }
    static __device__ word   load(SNode* n, int l) { return *(volatile word*)&n->next[l]; }
    static __device__ bool   cas(SNode* n, int l, word a, word b) { return atomicCAS(&n->next[l], a, b) == a; }

    __device__ bool locate(uint32_t k, SNode** preds, SNode** succs)
    {
    retry:
        SNode* pred = head;
        SNode* cur  = nullptr;
        for (int l = MAXL - 1; l >= 0; --l) {
            cur = ptr(load(pred, l));
            while (true) {
                word nx = load(cur, l);
                while (marked(nx)) {
                    if (!cas(pred, l, (word)cur, nx & ~1ull)) goto retry;
                    cur = ptr(nx);
                    nx = load(cur, l);
                }
                if (cur->key < k) { pred = cur; cur = ptr(nx); }
                else break;
            }
            preds[l] = pred;
            succs[l] = cur;
        }
        return cur->key == k;
    }

    __device__ bool add(SNode* n)
    {
        SNode *preds[MAXL], *succs[MAXL];
        uint32_t k = n->key;
        do {
            if (locate(k, preds, succs)) return false;
            for (int l = 0; l <= n->top; ++l) *(volatile word*)&n->next[l] = (word)succs[l];
            __threadfence();
        } while (!cas(preds[0], 0, (word)succs[0], (word)n));      // linearisation

        for (int l = 1; l <= n->top; ++l) {
            for (;;) {
                word mine = load(n, l);
                if (marked(mine)) return true;                     // being deleted already
                if (mine != (word)succs[l] && !cas(n, l, mine, (word)succs[l])) continue;
                if (cas(preds[l], l, (word)succs[l], (word)n)) break;
                locate(k, preds, succs);
                if (succs[0] != n) return true;                    // deleted meanwhile
            }
        }
        return true;
    }

    __device__ bool remove(uint32_t k)
    {
        SNode *preds[MAXL], *succs[MAXL];
        if (!locate(k, preds, succs)) return false;
        SNode* v = succs[0];
        for (int l = v->top; l >= 1; --l) {
            word nx = load(v, l);
            while (!marked(nx)) {
                word seen = atomicCAS(&v->next[l], nx, nx | 1ull);
                if (seen == nx) break;
                nx = seen;
            }
        }
        word nx = load(v, 0);
        while (true) {
            if (marked(nx)) return false;                          // somebody else got it
            word seen = atomicCAS(&v->next[0], nx, nx | 1ull);
            if (seen == nx) { locate(k, preds, succs); return true; }
            nx = seen;
        }
    }
};

static __device__ int coinLevel(uint32_t x)
{
    x ^= x << 13; x ^= x >> 17; x ^= x << 5; x *= 0x9e3779b1u;
    int l = __clz(x | 1u);
    return l < MAXL - 1 ? l : MAXL - 1;
}

// still found: skip_insert
// skip list insert, bottom level decides, upper levels linked afterwards (Herlihy & Shavit, LockFreeSkipList.add)
extern "C" __global__ void skip_insert(SkipList* sl, SNode* nodes, const uint32_t* keys, int n, int* ok)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        SNode* nd = &nodes[i];
        nd->key = keys[i];
        nd->top = coinLevel(keys[i] + 77u * i + 1u);
        nd->taken = 0;
        nd->payload = i;
        ok[i] = sl->add(nd);
    }
}

// nothing: skip_remove
// skip list remove: mark top-down, bottom mark decides, locate() unlinks (Herlihy & Shavit)
extern "C" __global__ void skip_remove(SkipList* sl, const uint32_t* keys, int n, int* ok)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ok[i] = sl->remove(keys[i]);
}

// nothing: skip_contains
// wait-free membership: skips marked nodes without unlinking (Herlihy & Shavit)
extern "C" __global__ void skip_contains(SkipList* sl, const uint32_t* keys, int n, int* payload)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t k = keys[i];
    SNode* pred = sl->head;
    SNode* cur = pred;
    for (int l = MAXL - 1; l >= 0; --l) {
        cur = SkipList::ptr(SkipList::load(pred, l));
        while (true) {
            word nx = SkipList::load(cur, l);
            while (SkipList::marked(nx)) {
                cur = SkipList::ptr(nx);
                nx = SkipList::load(cur, l);
            }
            if (cur->key >= k) break;
            pred = cur;
            cur = SkipList::ptr(nx);
        }
    }
    payload[i] = cur->key == k ? cur->payload : -1;
}

// nothing: skip_pop_min
// priority queue deleteMin: walk the bottom level, first node whose flag is won by CAS is ours (Lotan & Shavit 2000)
extern "C" __global__ void skip_pop_min(SkipList* sl, int perThread, uint32_t* out)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < perThread; ++r) {
        uint32_t got = 0xffffffffu;
        SNode* p = SkipList::ptr(SkipList::load(sl->head, 0));
        while (p != sl->tail) {
            if (*(volatile int*)&p->taken == 0 && atomicCAS(&p->taken, 0, 1) == 0) {
                got = p->key;
                sl->remove(got);
                break;
            }
            p = SkipList::ptr(SkipList::load(p, 0));
        }
        out[tid * perThread + r] = got;
    }
}
