// ScatterAlloc: reserve by the page's count, then a bit is free for certain
//
// still found: _Z6stressP4PageiPii
struct Page { unsigned count, bits; };
__device__ int allocIn(Page *p, unsigned seed) {
    if (*(volatile unsigned *)&p->count >= 32) return -1;
    if (atomicAdd(&p->count, 1u) >= 32) { atomicSub(&p->count, 1u); return -1; }
    unsigned spot = seed & 31;
    for (;;) {
        unsigned mask = 1u << spot;
        unsigned old = atomicOr(&p->bits, mask);
        if (!(old & mask)) return spot;
        unsigned rot = __funnelshift_r(~old, ~old, spot);   // next zero bit from here
        spot = (spot + max(__ffs(rot) - 1, 1)) & 31;
    }
}
__device__ void freeIn(Page *p, int spot) {
    atomicAnd(&p->bits, ~(1u << spot));
    __threadfence();
    atomicSub(&p->count, 1u);
}
__global__ void stress(Page *pages, int npages, int *mine, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    if (mine[t] >= 0) freeIn(pages + mine[t] / 32, mine[t] % 32);
    unsigned h = t * 0x9e3779b9u;
    int got = -1;
    for (int k = 0; k < npages && got < 0; k++) {
        int pg = (h + k) % npages, s = allocIn(pages + pg, h >> 16);
        if (s >= 0) got = pg * 32 + s;
    }
    mine[t] = got;
}
