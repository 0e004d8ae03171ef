// cuckoo filter: four 16-bit fingerprints in a 64-bit word, at most 128 evictions
//
// nothing: _Z4fillPyjPKjiPi
#include <cstdint>
using word = unsigned long long;
__device__ int zeroLane(word w) { for (int i = 0; i < 4; i++) if (!(w >> 16 * i & 0xffff)) return i; return -1; }
__device__ bool tryPut(word *b, unsigned tag) {
    word w = *(volatile word *)b;
    for (int lane; (lane = zeroLane(w)) >= 0; ) {
        word old = atomicCAS(b, w, w | (word)tag << 16 * lane);
        if (old == w) return true;
        w = old;
    }
    return false;
}
__device__ unsigned swapOut(word *b, unsigned tag, int lane) {
    word w = *(volatile word *)b, was;
    do {
        was = w;
        w = atomicCAS(b, was, (was & ~(0xffffull << 16 * lane)) | (word)tag << 16 * lane);
    } while (w != was);
    return was >> 16 * lane & 0xffff;
}
__device__ bool add(word *table, unsigned mask, unsigned key) {
    unsigned h = key * 0x9e3779b1u, tag = (h >> 16) | 1, i = (h ^ h >> 7) & mask;
    for (int kicks = 0; kicks < 128; kicks++) {
        if (tryPut(table + i, tag)) return true;
        unsigned j = (i ^ tag * 0x5bd1e995u) & mask;
        if (tryPut(table + j, tag)) return true;
        tag = swapOut(table + j, tag, kicks & 3);
        if (tag == 0) return true;
        i = (j ^ tag * 0x5bd1e995u) & mask;
    }
    return false;
}
__global__ void fill(word *table, unsigned mask, const unsigned *keys, int n, int *full) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (!add(table, mask, keys[i])) atomicAdd(full, 1);
}
