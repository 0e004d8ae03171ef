// Open addressing with erase: tombstones are reused, insert re-checks, erase by CAS (stdgpu / cuCollections erase).
#define EMPTY 0u
#define ERASED 0xffffffffu
__device__ bool insert(unsigned *keys, unsigned cap, unsigned key) {
    unsigned h = key * 2654435761u % cap;
    while (true) {
        unsigned *reuse = nullptr, at = h, i = 0;
        bool found = false, full = true;
        for (; i < cap; ++i, at = at + 1 == cap ? 0 : at + 1) {
            unsigned s = *(volatile unsigned *)&keys[at];
            if (s == key) { found = true; break; }
            if (s == ERASED && !reuse) reuse = &keys[at];
            if (s == EMPTY) { full = false; break; }
        }
        if (found) return false;
        if (full && !reuse) return false;
        if (reuse) { if (atomicCAS(reuse, ERASED, key) == ERASED) return true; }
        else if (atomicCAS(&keys[at], EMPTY, key) == EMPTY) return true;
    }
}
__device__ bool erase(unsigned *keys, unsigned cap, unsigned key) {
    unsigned at = key * 2654435761u % cap;
    for (unsigned i = 0; i < cap; ++i) {
        unsigned s = *(volatile unsigned *)&keys[at];
        if (s == key) return atomicCAS(&keys[at], key, ERASED) == key;
        if (s == EMPTY) return false;
        at = at + 1 == cap ? 0 : at + 1;
    }
    return false;
}
// assumed: k
extern "C" __global__ void k(unsigned *keys, unsigned cap, const unsigned *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(keys, cap, in[i]) | erase(keys, cap, in[n - 1 - i]) << 1;
}
