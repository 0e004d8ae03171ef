// SlabAlloc / Halloc like bitmap: search a word with a zero bit, claim by atomicOr, next word by hash when it was full.
__device__ int allocate(unsigned *bitmap, unsigned words, unsigned seed) {
    unsigned w = seed % words;
    for (unsigned tries = 0; tries < words; ++tries) {
        unsigned bits = *(volatile unsigned *)&bitmap[w];
        while (bits != 0xffffffffu) {
            int b = __ffs(~bits) - 1;
            unsigned old = atomicOr(&bitmap[w], 1u << b);
            if (!(old & 1u << b)) return w * 32 + b;
            bits = old | 1u << b;
        }
        w = w + 1 == words ? 0 : w + 1;
    }
    return -1;
}
__device__ int allocate_cas(unsigned *bitmap, unsigned words, unsigned seed) {
    for (unsigned w = 0; w < words; ++w) {
        unsigned *p = &bitmap[(w + seed) % words], bits;
        while ((bits = __ldcg(p)) != 0xffffffffu) {
            unsigned lowest = ~bits & (bits + 1);
            if (atomicCAS(p, bits, bits | lowest) == bits) return (w + seed) % words * 32 + __ffs(lowest) - 1;
        }
    }
    return -1;
}
// nothing: k
extern "C" __global__ void k(unsigned *a, unsigned *b, unsigned words, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = allocate(a, words, i * 2654435761u), y = allocate_cas(b, words, i);
    out[i] = x ^ y;
    if (x >= 0 && (i & 1)) atomicAnd(&a[x / 32], ~(1u << x % 32));
}
