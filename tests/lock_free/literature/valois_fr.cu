// Two harder lists: Valois (auxiliary nodes) and Fomitchev-Ruppert (flag, mark, backlink).

// ---------------------------------------------------------------- Valois ----
// Cells and auxiliary nodes share one array; kind: 0 aux, 1 normal, 2 last.
struct VNode { int next; int back; int kind; int key; };
struct VCursor { int target, pre_aux, pre_cell; };

#define VLD(f) (*(volatile int *)&(f))

__device__ void v_update(VNode *n, VCursor &c)
{
    if (VLD(n[c.pre_aux].next) == c.target) return;
    int p = c.pre_aux;
    int q = VLD(n[p].next);
    while (n[q].kind == 0) {                         // chain of auxiliary nodes: shorten it
        atomicCAS(&n[c.pre_cell].next, p, q);
        p = q;
        q = VLD(n[p].next);
    }
    c.pre_aux = p;
    c.target = q;
}
__device__ void v_first(VNode *n, VCursor &c)
{
    c.pre_cell = 0;                                  // node 0 is the dummy first cell
    c.pre_aux = VLD(n[0].next);
    c.target = -1;
    v_update(n, c);
}
__device__ bool v_next(VNode *n, VCursor &c)
{
    if (n[c.target].kind == 2) return false;
    c.pre_cell = c.target;
    c.pre_aux = VLD(n[c.target].next);
    c.target = -1;
    v_update(n, c);
    return true;
}
__device__ void v_find(VNode *n, VCursor &c, int key)
{
    v_first(n, c);
    while (n[c.target].kind != 2 && VLD(n[c.target].key) < key)
        if (!v_next(n, c)) break;
}
__device__ bool v_try_delete(VNode *n, VCursor &c)
{
    int d = c.target;
    int a = VLD(n[d].next);
    if (atomicCAS(&n[c.pre_aux].next, d, a) != d) return false;
    VLD(n[d].back) = c.pre_cell;
    __threadfence();
    int p = c.pre_cell, b;
    while ((b = VLD(n[p].back)) != -1) p = b;        // nearest cell that is still there
    int s = VLD(n[p].next), t;
    while (n[t = VLD(n[a].next)].kind == 0) a = t;   // end of the chain of auxiliaries
    for (;;) {
        int r = atomicCAS(&n[p].next, s, a);
        if (r == s) break;
        s = r;
        if (VLD(n[p].back) != -1) break;
        if (n[VLD(n[a].next)].kind == 0) break;
    }
    return true;
}

// still found: valois_list_mix
// Valois list with cursors and auxiliary nodes (J. Valois PODC 1995), insert and delete
extern "C" __global__ void valois_list_mix(VNode *n, int first_free, const int *keys, int *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, done = 0;
    for (int i = 0; i < ops; ++i) {
        int id = tid * ops + i, key = keys[id];
        VCursor c;
        v_find(n, c, key);
        if (i & 1) {
            while (n[c.target].kind == 1 && VLD(n[c.target].key) == key) {
                if (v_try_delete(n, c)) { done += 1000; break; }
                v_find(n, c, key);
            }
        } else {
            int cell = first_free + 2 * id, aux = cell + 1;
            n[cell].kind = 1; n[cell].key = key; n[cell].back = -1; n[cell].next = aux;
            n[aux].kind = 0; n[aux].back = -1;
            for (;;) {
                VLD(n[aux].next) = c.target;
                __threadfence();
                if (atomicCAS(&n[c.pre_aux].next, c.target, cell) == c.target) break;
                v_update(n, c);
                while (n[c.target].kind == 1 && VLD(n[c.target].key) < key) v_next(n, c);
            }
            ++done;
        }
    }
    out[tid] = done;
}

// --------------------------------------------------- Fomitchev, Ruppert ----
// succ = right << 2 | mark << 1 | flag
typedef unsigned succ_t;
struct FrNode { succ_t succ; unsigned back; int key; };
#define MARK 2u
#define FLAG 1u

struct FrList {
    FrNode *a;      // 0 = head (-inf), 1 = tail (+inf)

    __device__ succ_t s(unsigned i) const { return *(volatile succ_t *)&a[i].succ; }
    __device__ int key(unsigned i) const { return *(volatile int *)&a[i].key; }
    __device__ unsigned back(unsigned i) const { return *(volatile unsigned *)&a[i].back; }

    __device__ void helpMarked(unsigned prev, unsigned del)
    {
        unsigned nx = s(del) >> 2;
        atomicCAS(&a[prev].succ, del << 2 | FLAG, nx << 2);
    }
    __device__ __noinline__ void helpFlagged(unsigned prev, unsigned del)
    {
        *(volatile unsigned *)&a[del].back = prev;
        __threadfence();
        while (!(s(del) & MARK)) {                               // try to mark
            unsigned nx = s(del) >> 2;
            succ_t r = atomicCAS(&a[del].succ, nx << 2, nx << 2 | MARK);
            if ((r & 3u) == FLAG) helpFlagged(del, r >> 2);
        }
        helpMarked(prev, del);
    }
    // strict: stop before the first key >= k, otherwise before the first key > k
    __device__ void search(int k, bool strict, unsigned &cur, unsigned &nx)
    {
        nx = s(cur) >> 2;
        while (strict ? key(nx) < k : key(nx) <= k) {
            for (;;) {
                if (!(s(nx) & MARK)) break;
                succ_t cs = s(cur);
                if ((cs & MARK) && (cs >> 2) == nx) break;
                if ((cs >> 2) == nx) helpMarked(cur, nx);
                nx = s(cur) >> 2;
            }
            if (strict ? key(nx) < k : key(nx) <= k) { cur = nx; nx = s(cur) >> 2; }
        }
    }
    __device__ bool erase(int k)
    {
        unsigned prev = 0, del;
        search(k, true, prev, del);
        if (del == 1 || key(del) != k) return false;
        bool mine = false;
        for (;;) {                                               // try to flag
            if (s(prev) == (del << 2 | FLAG)) break;
            succ_t r = atomicCAS(&a[prev].succ, del << 2, del << 2 | FLAG);
            if (r == del << 2) { mine = true; break; }
            if (r == (del << 2 | FLAG)) break;
            if ((r & 3u) == FLAG) helpFlagged(prev, r >> 2);
            while (s(prev) & MARK) prev = back(prev);
            unsigned d2;
            search(k, true, prev, d2);
            if (d2 != del) return false;
        }
        helpFlagged(prev, del);
        return mine;
    }
    __device__ bool insert(unsigned n, int k)
    {
        unsigned prev = 0, nx;
        search(k, false, prev, nx);
        a[n].key = k;
        while (prev == 0 || key(prev) != k) {
            succ_t ps = s(prev);
            if (ps & FLAG) {
                helpFlagged(prev, ps >> 2);
            } else {
                *(volatile succ_t *)&a[n].succ = nx << 2;
                __threadfence();
                succ_t r = atomicCAS(&a[prev].succ, nx << 2, n << 2);
                if (r == nx << 2) return true;
                if ((r & 3u) == FLAG) helpFlagged(prev, r >> 2);
                while (s(prev) & MARK) prev = back(prev);
            }
            search(k, false, prev, nx);
        }
        return false;
    }
};

// still found: fr_list_mix
// list with flags, marks and backlinks, helpers complete a flagged deletion (Fomitchev, Ruppert PODC 2004)
extern "C" __global__ void fr_list_mix(FrList l, const int *keys, unsigned first_free, int *res, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < ops; ++i) {
        int id = tid * ops + i;
        res[id] = (i % 4 == 3) ? l.erase(keys[id - 1]) : l.insert(first_free + id, keys[id]);
    }
}
