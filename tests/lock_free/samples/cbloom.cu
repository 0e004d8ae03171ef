// counting Bloom filter, saturating nibbles in 32-bit words
//
// nothing: _Z6filterPjjPKii
__device__ unsigned mix(unsigned x, unsigned seed) { x ^= seed; x *= 0x9e3779b1u; x ^= x >> 15; x *= 0x85ebca77u; return x ^ x >> 13; }
__device__ void bump(unsigned *words, unsigned slot) {
    unsigned *w = words + slot / 8, sh = slot % 8 * 4;
    unsigned cur = *(volatile unsigned *)w;
    while ((cur >> sh & 15) != 15) {
        unsigned seen = atomicCAS(w, cur, cur + (1u << sh));
        if (seen == cur) return;
        cur = seen;
    }
}
__device__ void drop(unsigned *words, unsigned slot) {
    unsigned *w = words + slot / 8, sh = slot % 8 * 4, cur = *(volatile unsigned *)w, was;
    do {
        was = cur;
        unsigned c = was >> sh & 15;
        if (c == 0 || c == 15) return;
        cur = atomicCAS(w, was, was - (1u << sh));
    } while (cur != was);
}
__global__ void filter(unsigned *words, unsigned slots, const int *keys, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned k = abs(keys[t]);
    for (unsigned s = 0; s < 4; s++) {
        unsigned slot = mix(k, s * 77 + 1) % slots;
        if (keys[t] >= 0) bump(words, slot); else drop(words, slot);
    }
}
