// String interning: open addressing over (hash, offset) words, compare characters on a hash match.
typedef unsigned long long u64;
__device__ bool same(const char *a, const char *b) {
    while (*a && *a == *b) { ++a; ++b; }
    return *a == *b;
}
// assumed: k
extern "C" __global__ void k(u64 *table, unsigned mask, const char *text, const unsigned *starts, unsigned *ids, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const char *s = text + starts[i];
    unsigned h = 2166136261u;
    for (const char *c = s; *c; ++c) h = (h ^ (unsigned char)*c) * 16777619u;
    h |= 1;
    u64 mine = (u64)h << 32 | starts[i];
    ids[i] = 0xffffffffu;
    for (unsigned at = h & mask, probes = 0; probes <= mask; at = (at + 1) & mask, ++probes) {
        u64 seen = *(volatile u64 *)&table[at];
        if (seen == 0) {
            seen = atomicCAS(&table[at], 0ull, mine);
            if (seen == 0) { ids[i] = starts[i]; return; }
        }
        if ((unsigned)(seen >> 32) == h && same(text + (unsigned)seen, s)) { ids[i] = (unsigned)seen; return; }
    }
}
