// Union-find and connected components.
#include <cuda/atomic>
#include <cstdint>

typedef unsigned long long edge64;

struct DSU {
    int* parent;

    __device__ int find_halve(int x) const
    {
        int p = *(volatile int*)&parent[x];
        while (p != x) {
            int gp = *(volatile int*)&parent[p];
            if (gp == p) return p;
            atomicCAS(&parent[x], p, gp);            // may fail: somebody improved it
            x = gp;
            p = *(volatile int*)&parent[x];
        }
        return x;
    }
};

__device__ __forceinline__ uint32_t rankOf(int x) { return (uint32_t)x * 0x9E3779B1u ^ 0x5bd1e995u; }

// nothing: jt_unite
// concurrent union-find, randomised linking with path splitting/halving by CAS (Jayanti & Tarjan 2016)
extern "C" __global__ void jt_unite(DSU d, const int2* pairs, int m, int* merged)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
        int u = d.find_halve(pairs[e].x);
        int v = d.find_halve(pairs[e].y);
        int linked = 0;
        while (u != v) {
            if (rankOf(u) > rankOf(v)) { int t = u; u = v; v = t; }
            if (atomicCAS(&d.parent[u], u, v) == u) { linked = 1; break; }
            u = d.find_halve(u);
            v = d.find_halve(v);
        }
        merged[e] = linked;
    }
}

// assumed: jt_same_set
// SameSet query: equal roots, or first root still a root when looked at again (Anderson & Woll; Jayanti & Tarjan)
extern "C" __global__ void jt_same_set(DSU d, const int2* q, int m, unsigned char* same)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int u = q[e].x, v = q[e].y;
    unsigned char r;
    for (;;) {
        u = d.find_halve(u);
        v = d.find_halve(v);
        if (u == v) { r = 1; break; }
        if (*(volatile int*)&d.parent[u] == u) { r = 0; break; }
    }
    same[e] = r;
}

static __device__ inline int representative(int v, int* const parent)
{
    int cur = parent[v];
    if (cur != v) {
        int next, prev = v;
        while (cur > (next = parent[cur])) {
            parent[prev] = next;                     // intermediate pointer jumping, benign race
            prev = cur;
            cur = next;
        }
    }
    return cur;
}

// nothing: ecl_hook_csr
// ECL-CC hooking over a CSR graph, larger root under the smaller by CAS (Jaiganesh & Burtscher 2018)
extern "C" __global__ void ecl_hook_csr(int nodes, const int* rowPtr, const int* col, int* parent)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes) return;
    int vr = representative(v, parent);
    for (int j = rowPtr[v]; j < rowPtr[v + 1]; ++j) {
        int w = col[j];
        if (v <= w) continue;
        int wr = representative(w, parent);
        bool again;
        do {
            again = false;
            if (vr != wr) {
                int ret;
                if (vr < wr) {
                    if ((ret = atomicCAS(&parent[wr], wr, vr)) != wr) { wr = ret; again = true; }
                } else {
                    if ((ret = atomicCAS(&parent[vr], vr, wr)) != vr) { vr = ret; again = true; }
                }
            }
        } while (again);
    }
}

// nothing: cc_flatten
// final flattening: every vertex walks to its root (ECL-CC / pointer jumping)
extern "C" __global__ void cc_flatten(volatile int* parent, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int r = parent[v], nx;
    while ((nx = parent[r]) != r) r = nx;
    parent[v] = r;
}

// nothing: sv_hook_round
// one Shiloach-Vishkin round: stars hooked by atomicMin, one shortcut step; host repeats while *changed
extern "C" __global__ void sv_hook_round(int* comp, const int2* edges, int m, int n, int* changed)
{
    int stride = gridDim.x * blockDim.x, tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = tid; e < m; e += stride) {
        int a = comp[edges[e].x], b = comp[edges[e].y];
        if (a == b) continue;
        int hi = a > b ? a : b, lo = a > b ? b : a;
        if (atomicMin(&comp[hi], lo) > lo) *changed = 1;
    }
    for (int v = tid; v < n; v += stride) {
        int c = comp[v];
        while (c != comp[c]) c = comp[c];
        comp[v] = c;
    }
}

// nothing: afforest_link
// Afforest sampling link, cuda::atomic_ref (Sutton, Ben-Nun, Barak 2018)
extern "C" __global__ void afforest_link(int* comp, const int* rowPtr, const int* col, int n, int nth)
{
    using ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n || rowPtr[u] + nth >= rowPtr[u + 1]) return;
    int v = col[rowPtr[u] + nth];
    int p1 = ref(comp[u]).load(cuda::std::memory_order_relaxed);
    int p2 = ref(comp[v]).load(cuda::std::memory_order_relaxed);
    while (p1 != p2) {
        int high = max(p1, p2), low = min(p1, p2);
        int ph = ref(comp[high]).load(cuda::std::memory_order_relaxed);
        if (ph == low) break;
        if (ph == high) {
            int want = high;
            if (ref(comp[high]).compare_exchange_strong(want, low, cuda::std::memory_order_relaxed)) break;
        }
        p1 = ref(comp[ref(comp[high]).load(cuda::std::memory_order_relaxed)]).load(cuda::std::memory_order_relaxed);
        p2 = ref(comp[low]).load(cuda::std::memory_order_relaxed);
    }
}

// nothing: boruvka_lightest
// Boruvka step: lightest edge of each component kept in one 64-bit word by CAS-min, weight above, edge id below
extern "C" __global__ void boruvka_lightest(DSU d, const int2* edges, const uint32_t* w, int m, edge64* best)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
        int a = d.find_halve(edges[e].x), b = d.find_halve(edges[e].y);
        if (a == b) continue;
        edge64 mine = ((edge64)w[e] << 32) | (unsigned)e;
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            edge64* slot = &best[side ? b : a];
            edge64 cur = *(volatile edge64*)slot;
            while (mine < cur) {
                edge64 seen = atomicCAS(slot, cur, mine);
                if (seen == cur) break;
                cur = seen;
            }
        }
    }
}
