// External (leaf-oriented) binary search trees with CAS. Indices into arrays; 0 = none.
#include <cuda_runtime.h>

struct ETree {                     // Ellen, Fatourou, Ruppert, van Breugel 2010
    int* key; int* left; int* right;
    unsigned* update;              // info record << 1 | insert flag
    int* infoP; int* infoL; int* infoNew;
    int root;
};

__device__ static void helpInsert(const ETree& t, unsigned r)
{
    int p = ((volatile int*)t.infoP)[r], l = ((volatile int*)t.infoL)[r], c = ((volatile int*)t.infoNew)[r];
    int* child = t.key[c] < t.key[p] ? &t.left[p] : &t.right[p];
    atomicCAS(child, l, c);
    __threadfence();
    atomicCAS(&t.update[p], r << 1 | 1u, r << 1);
}

// assumed: ellen_insert
// non-blocking external BST insert: parent flagged with an info record that anybody can finish (Ellen et al., PODC 2010)
extern "C" __global__ void ellen_insert(ETree t, const int* keys, int n, int firstNode, int* added)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = keys[i];
    int leaf = firstNode + 3 * i, copy = leaf + 1, inner = leaf + 2;
    unsigned rec = i + 1;
    t.key[leaf] = k; t.left[leaf] = 0; t.right[leaf] = 0;
    for (;;) {
        int p = t.root, l = t.root;
        unsigned pu = 0;
        do {
            p = l;
            pu = *(volatile unsigned*)&t.update[p];
            l = k < t.key[p] ? ((volatile int*)t.left)[p] : ((volatile int*)t.right)[p];
        } while (((volatile int*)t.left)[l] != 0);
        int lk = t.key[l];
        if (lk == k) { added[i] = 0; return; }
        if (pu & 1u) { helpInsert(t, pu >> 1); continue; }
        t.key[copy] = lk; t.left[copy] = 0; t.right[copy] = 0;
        t.key[inner]   = max(k, lk);
        t.left[inner]  = k < lk ? leaf : copy;
        t.right[inner] = k < lk ? copy : leaf;
        t.update[inner] = 0;
        t.infoP[rec] = p; t.infoL[rec] = l; t.infoNew[rec] = inner;
        __threadfence();
        unsigned seen = atomicCAS(&t.update[p], pu, rec << 1 | 1u);
        if (seen == pu) { helpInsert(t, rec); added[i] = 1; return; }
        if (seen & 1u) helpInsert(t, seen >> 1);
    }
}

class NMTree {                     // Natarajan & Mittal 2014; child words: index << 2 | flag << 1 | tag
public:
    int* key; unsigned* l; unsigned* r;
    unsigned R, S;
    struct Seek { unsigned anc, succ, par, leaf; };

    __device__ unsigned* edge(unsigned n, int k) const { return k < key[n] ? &l[n] : &r[n]; }
    static __device__ unsigned ld(const unsigned* p) { return *(const volatile unsigned*)p; }

    __device__ Seek seek(int k) const
    {
        unsigned pf = ld(&l[S]);
        Seek s = { R, S, S, pf >> 2 };
        unsigned cf = ld(edge(s.leaf, k));
        for (unsigned cur = cf >> 2; cur; cur = cf >> 2) {
            if (!(pf & 1u)) { s.anc = s.par; s.succ = s.leaf; }
            s.par = s.leaf;
            s.leaf = cur;
            pf = cf;
            cf = ld(edge(cur, k));
        }
        return s;
    }
    __device__ bool cleanup(int k, const Seek& s) const
    {
        unsigned* up  = edge(s.anc, k);
        unsigned* ch  = edge(s.par, k);
        unsigned* sib = ch == &l[s.par] ? &r[s.par] : &l[s.par];
        if (!(ld(ch) & 2u)) sib = ch;
        atomicOr(sib, 1u);
        unsigned w = ld(sib);
        return atomicCAS(up, s.succ << 2, w & ~1u) == s.succ << 2;
    }
};

// still found: nm_insert
// external BST insert, edge marking, helps deletions it meets (Natarajan & Mittal, PPoPP 2014)
extern "C" __global__ void nm_insert(NMTree t, const int* keys, int n, unsigned base, char* added)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = keys[i];
        unsigned leaf = base + 2 * i, inner = leaf + 1;
        t.key[leaf] = k; t.l[leaf] = 0; t.r[leaf] = 0;
        while (true) {
            NMTree::Seek s = t.seek(k);
            int lk = t.key[s.leaf];
            if (lk == k) { added[i] = 0; break; }
            t.key[inner] = lk > k ? lk : k;
            t.l[inner] = (k < lk ? leaf : s.leaf) << 2;
            t.r[inner] = (k < lk ? s.leaf : leaf) << 2;
            __threadfence();
            unsigned* e = t.edge(s.par, k);
            unsigned old = atomicCAS(e, s.leaf << 2, inner << 2);
            if (old == s.leaf << 2) { added[i] = 1; break; }
            if (old >> 2 == s.leaf && (old & 3u)) t.cleanup(k, s);
        }
    }
}

// still found: nm_delete
// external BST delete, injection and cleanup modes (Natarajan & Mittal, PPoPP 2014)
extern "C" __global__ void nm_delete(NMTree t, const int* keys, int n, char* removed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = keys[i];
    unsigned target = 0;
    while (true) {
        NMTree::Seek s = t.seek(k);
        if (target == 0) {
            if (t.key[s.leaf] != k) { removed[i] = 0; return; }
            unsigned old = atomicCAS(t.edge(s.par, k), s.leaf << 2, s.leaf << 2 | 2u);
            if (old == s.leaf << 2) {
                target = s.leaf;
                if (t.cleanup(k, s)) break;
            } else if (old >> 2 == s.leaf) t.cleanup(k, s);
        } else {
            if (s.leaf != target) break;               // helped by someone
            if (t.cleanup(k, s)) break;
        }
    }
    removed[i] = 1;
}

struct BstNode { int key; int kid[2]; };

// nothing: bst_null_claim
// plain internal BST, insert-only: the null child is claimed by CAS, walk goes on from the winner on failure (folklore)
extern "C" __global__ void bst_null_claim(BstNode* nodes, const int* keys, int n, int* depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;  // node 0 is the root, inserted by the host
    if (i >= n) return;
    nodes[i].key = keys[i]; nodes[i].kid[0] = nodes[i].kid[1] = -1;
    __threadfence();
    int cur = 0, d = 0;
    for (;;) {
        if (nodes[cur].key == keys[i]) break;
        int* link = &nodes[cur].kid[keys[i] > nodes[cur].key];
        int nx = *(volatile int*)link;
        if (nx < 0) nx = atomicCAS(link, -1, i);
        if (nx < 0) break;
        cur = nx; ++d;
    }
    depth[i] = d;
}

// nothing: bst_child_locked
// the same tree, but a child word is set to "locked" while the inserter allocates and fills the node
extern "C" __global__ void bst_child_locked(BstNode* nodes, int* top, const int* keys, int n, int* where)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = keys[i], cur = 0;
    bool done = false;
    while (!done) {
        int* link = &nodes[cur].kid[k > nodes[cur].key];
        int nx = *(volatile int*)link;
        if (nx >= 0) { cur = nx; continue; }
        if (nx == -2) continue;                          // locked, look again
        if (atomicCAS(link, -1, -2) == -1) {
            int me = atomicAdd(top, 1);
            nodes[me].key = k; nodes[me].kid[0] = -1; nodes[me].kid[1] = -1;
            __threadfence();
            *(volatile int*)link = me;
            where[i] = me;
            done = true;
        }
    }
}
