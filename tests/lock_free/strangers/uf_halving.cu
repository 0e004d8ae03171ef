// Find climbs a forest whose parents are smaller (ends); halving by a CAS whose result does not matter; hook by CAS of
// a root by the smaller one; fails only if the root was hooked by another.

// assumed: unite
__device__ int find(int *p, int x)
{
    while (true) {
        int a = ((volatile int *)p)[x];
        if (a == x) return x;
        int g = ((volatile int *)p)[a];
        if (g != a) atomicCAS(&p[x], a, g);
        x = g;
    }
}
extern "C" __global__ void unite(int *p, const int *e, int *out)
{
    int u = e[threadIdx.x], v = (e[threadIdx.x] * 5 + 3) & 63;
    for (;;) {
        u = find(p, u); v = find(p, v);
        if (u == v) break;
        if (u < v) { int t = u; u = v; v = t; }
        if (atomicCAS(&p[u], u, v) == u) break;
    }
    out[threadIdx.x] = find(p, threadIdx.x);
}
