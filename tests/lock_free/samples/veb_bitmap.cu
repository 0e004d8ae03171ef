// two-level bitmap: take any set bit; summary bits are hints that are repaired
//
// assumed: _Z3idsP3SetPii
typedef unsigned long long u64;
struct Set { u64 summary; u64 leaf[64]; };
__device__ void give(Set *s, int x) {
    atomicOr(&s->leaf[x >> 6], 1ull << (x & 63));
    atomicOr(&s->summary, 1ull << (x >> 6));
}
__device__ int takeAny(Set *s) {
    for (;;) {
        u64 top = atomicOr(&s->summary, 0ull);
        if (!top) return -1;
        int w = 63 - __clzll(top);
        u64 bits = *(volatile u64 *)&s->leaf[w];
        while (bits) {
            u64 one = bits & -bits;
            u64 old = atomicAnd(&s->leaf[w], ~one);
            if (old & one) return w * 64 + __ffsll(one) - 1;
            bits = old & ~one;
        }
        atomicAnd(&s->summary, ~(1ull << w));
        if (atomicAdd(&s->leaf[w], 0ull)) atomicOr(&s->summary, 1ull << w);
    }
}
__global__ void ids(Set *s, int *id, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    if (id[t] >= 0) { give(s, id[t]); id[t] = -1; }
    else id[t] = takeAny(s);
}
