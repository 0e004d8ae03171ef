// Hash trie of 16-way nodes: a slot is empty, a leaf or a child; a conflicting leaf is pushed one level down (Prokopec-like insert, Areias' hash trie).
__device__ bool insert(unsigned *nodes, unsigned *used, unsigned limit, const unsigned *keys, unsigned mine) {
    unsigned key = keys[mine], node = 0, shift = 0;
    while (shift < 32) {
        unsigned *slot = &nodes[node * 16 + (key >> shift & 15)];
        unsigned seen = *(volatile unsigned *)slot;
        if (seen == 0) {
            if (atomicCAS(slot, 0u, (mine + 1) << 1 | 1) == 0) return true;
            continue;
        }
        if (!(seen & 1)) { node = seen >> 1; shift += 4; continue; }
        unsigned other = (seen >> 1) - 1;
        if (keys[other] == key) return false;
        unsigned fresh = atomicAdd(used, 1);
        if (fresh >= limit) return false;
        if (shift + 4 < 32) nodes[fresh * 16 + (keys[other] >> (shift + 4) & 15)] = seen;
        __threadfence();
        atomicCAS(slot, seen, fresh << 1);
    }
    return false;
}
// assumed: k
extern "C" __global__ void k(unsigned *nodes, unsigned *used, unsigned limit, const unsigned *keys, int *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(nodes, used, limit, keys, i);
}
