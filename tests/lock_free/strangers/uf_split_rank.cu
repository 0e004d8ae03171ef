// Path splitting; union by random priority (ranks total order, parents have higher priority): find ends at a root; CAS
// of a root fails only if another hooked it.

// nothing: uf
__device__ unsigned splitfind(unsigned *par, unsigned u)
{
    unsigned v = __ldcg(&par[u]), w;
    while ((w = __ldcg(&par[v])) != v) {
        atomicCAS(&par[u], v, w);
        u = v; v = w;
    }
    return v;
}
extern "C" __global__ void uf(unsigned *par, const unsigned *pri, int *out)
{
    unsigned a = threadIdx.x, b = (threadIdx.x * 11 + 5) % 32;
    int r = 0;
    while ((a = splitfind(par, a)) != (b = splitfind(par, b))) {
        bool less = pri[a] < pri[b] || (pri[a] == pri[b] && a < b);
        if (less ? atomicCAS(&par[a], a, b) == a : atomicCAS(&par[b], b, a) == b) { r = 1; break; }
    }
    out[threadIdx.x] = r;
}
