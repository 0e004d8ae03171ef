// Index queue of Nikolaev, union-find forests, linear-probing table, insert-only search tree.
#include <cuda/atomic>
typedef unsigned long long u64;
typedef long long i64;

__device__ __forceinline__ u64 L64(const u64 *p) { return *(const volatile u64 *)p; }

// ---- SCQ -------------------------------------------------------------------------
// entry = cycle:31 | safe:1 | index:32, index all ones = bottom; ring of 2n entries
#define BOT 0xffffffffull
struct Scq { u64 head, tail; i64 threshold; unsigned n; u64 *ent; };

__device__ bool scq_dequeue(Scq *q, unsigned *idx)
{
    const unsigned R = 2 * q->n;
    if (*(volatile i64 *)&q->threshold < 0) return false;
    for (;;) {
        u64 H = atomicAdd(&q->head, 1ull);
        u64 *e = &q->ent[H % R];
        u64 cyc = H / R, w = L64(e);
        for (;;) {
            if ((w >> 33) == cyc) {
                atomicOr(e, BOT);
                *idx = (unsigned)w;
                return true;
            }
            if ((w >> 33) > cyc) break;
            u64 neu = (w & BOT) == BOT ? (cyc << 33) | (w & (1ull << 32)) | BOT : w & ~(1ull << 32);
            u64 r = atomicCAS(e, w, neu);
            if (r == w) break;
            w = r;
        }
        u64 T = L64(&q->tail);
        if (T <= H + 1) {
            u64 hd = H + 1;
            while (atomicCAS(&q->tail, T, hd) != T) {           // catch up
                hd = L64(&q->head);
                T = L64(&q->tail);
                if (T >= hd) break;
            }
            atomicAdd((u64 *)&q->threshold, ~0ull);
            return false;
        }
        if ((i64)atomicAdd((u64 *)&q->threshold, ~0ull) <= 0) return false;
    }
}

__device__ void scq_enqueue(Scq *q, unsigned idx)             // never more than n indices around
{
    const unsigned R = 2 * q->n;
    for (;;) {
        u64 T = atomicAdd(&q->tail, 1ull);
        u64 *e = &q->ent[T % R];
        u64 cyc = T / R, w = L64(e);
        while ((w >> 33) < cyc && (w & BOT) == BOT && ((w >> 32 & 1) || L64(&q->head) <= T)) {
            u64 r = atomicCAS(e, w, (cyc << 33) | (1ull << 32) | idx);
            if (r == w) {
                if (*(volatile i64 *)&q->threshold != 3ll * q->n - 1)
                    atomicExch((u64 *)&q->threshold, (u64)(3ll * q->n - 1));
                return;
            }
            w = r;
        }
    }
}

// still found: scq_index_recycle
// scalable circular queue of indices with threshold (R. Nikolaev DISC 2019), take an index and give it back
extern "C" __global__ void scq_index_recycle(Scq *fq, int *slots, int *failed, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, f = 0;
    for (int r = 0; r < rounds; ++r) {
        unsigned i;
        if (scq_dequeue(fq, &i)) { slots[i] = tid; scq_enqueue(fq, i); } else ++f;
    }
    failed[tid] = f;
}

// ---- union-find ---------------------------------------------------------------------
__device__ int uf_root(int *parent, int x)
{
    int p = *(volatile int *)&parent[x];
    while (p != x) {
        int g = *(volatile int *)&parent[p];
        if (g != p) atomicCAS(&parent[x], p, g);               // halve the path, failure is harmless
        x = p;
        p = g;
    }
    return x;
}

// nothing: uf_unite_index
// concurrent union-find, larger root linked below the smaller by CAS (Anderson, Woll 1991; Jayanti, Tarjan 2016)
extern "C" __global__ void uf_unite_index(int *parent, const int2 *edge, int *merged, int m)
{
    int c = 0;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
        int a = edge[e].x, b = edge[e].y;
        while ((a = uf_root(parent, a)) != (b = uf_root(parent, b))) {
            if (a < b) { int t = a; a = b; b = t; }
            if (atomicCAS(&parent[a], a, b) == a) { ++c; break; }
        }
    }
    if (c) atomicAdd(merged, c);
}

// assumed: uf_same_rank_ref
// same-set query and union with {rank, parent} words, cuda::atomic_ref (Anderson, Woll STOC 1991)
extern "C" __global__ void uf_same_rank_ref(u64 *node, const int2 *pair, unsigned char *same, int m, int unite)
{
    using Ref = cuda::atomic_ref<u64, cuda::thread_scope_device>;
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    unsigned v[2] = { (unsigned)pair[e].x, (unsigned)pair[e].y };
    unsigned char res = 2;
    while (res == 2) {
        u64 w[2];
        for (int k = 0; k < 2; ++k)
            while ((unsigned)(w[k] = Ref(node[v[k]]).load(cuda::memory_order_acquire)) != v[k]) v[k] = (unsigned)w[k];
        if (v[0] == v[1]) { res = 1; break; }
        if (!unite) {
            u64 again = Ref(node[v[0]]).load(cuda::memory_order_acquire);
            if ((unsigned)again == v[0]) res = 0;              // still a root: they were different
            continue;
        }
        int lo = (w[0] >> 32) < (w[1] >> 32) || ((w[0] >> 32) == (w[1] >> 32) && v[0] < v[1]) ? 0 : 1;
        u64 exp = w[lo];
        if (Ref(node[v[lo]]).compare_exchange_strong(exp, (exp >> 32 << 32) | v[1 - lo])) {
            if ((w[0] >> 32) == (w[1] >> 32)) {
                u64 ex2 = w[1 - lo];
                Ref(node[v[1 - lo]]).compare_exchange_strong(ex2, ex2 + (1ull << 32));
            }
            res = 0;
        }
    }
    same[e] = res;
}

// nothing: lp_hash_insert_find
// open addressing with linear probing, keys claimed by CAS, gives up on a full table (after Gao, Groote, Hesselink 2005)
extern "C" __global__ void lp_hash_insert_find(unsigned *slot, unsigned cap, const unsigned *key, unsigned *pos, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned k = key[i], h = (k * 0x9E3779B1u) % cap, at = ~0u;
        for (unsigned p = 0; p < cap; ++p) {
            unsigned was = *(volatile unsigned *)&slot[h];
            if (was == 0) was = atomicCAS(&slot[h], 0u, k);
            if (was == 0 || was == k) { at = h; break; }
            if (++h == cap) h = 0;
        }
        pos[i] = at;
    }
}

struct Tree { int child[2]; int key; };

// nothing: bst_insert_cas
// insert-only external-order search tree, CAS at the null child where the search ended
extern "C" __global__ void bst_insert_cas(Tree *t, int *depth, int first, const int *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = key[i], me = first + i, cur = 0, d = 0;               // node 0: root sentinel, 0 as child = none
    t[me].child[0] = t[me].child[1] = 0;
    t[me].key = k;
    __threadfence();
    for (;;) {
        if (cur != 0 && *(volatile int *)&t[cur].key == k) { d = -1; break; }
        int *c = &t[cur].child[cur != 0 && *(volatile int *)&t[cur].key < k];
        int nx = *(volatile int *)c;
        if (nx == 0) nx = atomicCAS(c, 0, me);
        if (nx == 0) break;
        cur = nx;
        ++d;
    }
    depth[i] = d;
}
