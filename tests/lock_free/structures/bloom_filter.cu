// Counting Bloom filter with 4-bit saturating counters set by CAS, and blocked insert by atomicOr.
__device__ void bump(unsigned *words, unsigned slot) {
    unsigned *w = &words[slot >> 3], shift = (slot & 7) * 4;
    unsigned old = *w, assumed;
    do {
        assumed = old;
        if ((assumed >> shift & 15) == 15) return;
        old = atomicCAS(w, assumed, assumed + (1u << shift));
    } while (old != assumed);
}
// nothing: k
extern "C" __global__ void k(unsigned *counters, unsigned long long *bits, unsigned m, const unsigned *keys, int n, int hashes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h1 = keys[i] * 0x9e3779b1u, h2 = keys[i] * 0x85ebca6bu | 1;
    for (int j = 0; j < hashes; ++j) {
        bump(counters, (h1 + j * h2) % m);
        atomicOr(&bits[(h1 + j * h2) % m >> 6], 1ull << ((h1 + j * h2) & 63));
    }
}
