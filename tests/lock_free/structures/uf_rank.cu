// Anderson & Woll: union by rank; (rank, parent) in one 64-bit word, updateroot by CAS.
typedef unsigned long long u64;
__device__ __forceinline__ unsigned par(u64 w) { return (unsigned)w; }
__device__ __forceinline__ unsigned rank_(u64 w) { return (unsigned)(w >> 32); }
__device__ unsigned find(u64 *a, unsigned x) {
    u64 w = *(volatile u64 *)&a[x];
    while (par(w) != x) {
        unsigned p = par(w);
        u64 pw = *(volatile u64 *)&a[p];
        atomicCAS(&a[x], w, (w & 0xffffffff00000000ull) | par(pw));
        x = p;
        w = pw;
    }
    return x;
}
__device__ bool update_root(u64 *a, unsigned x, unsigned oldrank, unsigned y, unsigned newrank) {
    u64 old = *(volatile u64 *)&a[x];
    if (par(old) != x || rank_(old) != oldrank) return false;
    return atomicCAS(&a[x], old, (u64)newrank << 32 | y) == old;
}
__device__ void unite(u64 *a, unsigned x, unsigned y) {
    while (true) {
        x = find(a, x);
        y = find(a, y);
        if (x == y) return;
        unsigned xr = rank_(*(volatile u64 *)&a[x]), yr = rank_(*(volatile u64 *)&a[y]);
        if (xr > yr || (xr == yr && x > y)) { unsigned t = x; x = y; y = t; t = xr; xr = yr; yr = t; }
        if (update_root(a, x, xr, y, xr)) {
            if (xr == yr) update_root(a, y, yr, y, yr + 1);
            return;
        }
    }
}
// assumed: k
extern "C" __global__ void k(u64 *a, const uint2 *edges, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) unite(a, edges[i].x, edges[i].y);
}
