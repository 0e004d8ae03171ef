// RDCSS (Harris, Fraser, Pratt 2002): descriptors are indices with the low bit set; complete helps.
typedef unsigned long long u64;
struct Desc { u64 *a1; u64 o1; u64 *a2; u64 o2, n2; };
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ __forceinline__ bool is_desc(u64 v) { return v & 1; }
__device__ void complete(Desc *pool, u64 d) {
    volatile Desc *x = pool + (d >> 1);
    u64 v = ld(x->a1);
    atomicCAS(x->a2, d, v == x->o1 ? x->n2 : x->o2);
}
__device__ u64 rdcss(Desc *pool, unsigned me) {
    Desc *x = pool + me;
    u64 d = (u64)me << 1 | 1, r;
    do {
        r = atomicCAS(x->a2, x->o2, d);
        if (is_desc(r)) complete(pool, r);
    } while (is_desc(r));
    if (r == x->o2) complete(pool, d);
    return r;
}
__device__ u64 rdcss_read(Desc *pool, u64 *a) {
    u64 r;
    do {
        r = ld(a);
        if (is_desc(r)) complete(pool, r);
    } while (is_desc(r));
    return r;
}
// assumed: k
extern "C" __global__ void k(Desc *pool, u64 *control, u64 *data, u64 *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 old = rdcss_read(pool, &data[i % m]);
    pool[i].a1 = control; pool[i].o1 = 0; pool[i].a2 = &data[i % m]; pool[i].o2 = old; pool[i].n2 = old + 2;
    __threadfence();
    out[i] = rdcss(pool, i);
}
