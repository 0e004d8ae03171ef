// Anderson & Woll: wait-free union find; (rank, parent) in one word, path halving
//
// assumed: _Z2ufPyPKjS1_i
typedef unsigned long long u64;
struct DSU {
    u64 *w;
    __device__ static unsigned par(u64 x) { return (unsigned)x; }
    __device__ static unsigned rnk(u64 x) { return (unsigned)(x >> 32); }
    __device__ u64 get(unsigned i) { return *(volatile u64 *)(w + i); }
    __device__ unsigned find(unsigned x) {
        u64 p = get(x);
        while (par(p) != x) {
            u64 g = get(par(p));
            if (par(g) == par(p)) return par(p);
            u64 nw = ((u64)rnk(p) << 32) | par(g);
            atomicCAS(w + x, p, nw);
            x = par(g);
            p = get(x);
        }
        return x;
    }
    __device__ bool link(unsigned a, u64 wa, unsigned b, unsigned rb) {
        return atomicCAS(w + a, wa, ((u64)rb << 32) | b) == wa;
    }
    __device__ void unite(unsigned a, unsigned b) {
        for (;;) {
            a = find(a); b = find(b);
            if (a == b) return;
            u64 wa = get(a), wb = get(b);
            if (par(wa) != a || par(wb) != b) continue;
            unsigned ra = rnk(wa), rb = rnk(wb);
            if (ra > rb || (ra == rb && a > b)) { unsigned t = a; a = b; b = t; u64 s = wa; wa = wb; wb = s; t = ra; ra = rb; rb = t; }
            if (link(a, wa, b, ra)) {
                if (ra == rb) atomicCAS(w + b, wb, ((u64)(rb + 1) << 32) | b);
                return;
            }
        }
    }
};
__global__ void uf(u64 *words, const unsigned *src, const unsigned *dst, int m) {
    DSU d{words};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) d.unite(src[i], dst[i]);
}
