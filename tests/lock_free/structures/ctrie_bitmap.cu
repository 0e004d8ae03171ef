// Hash array mapped trie with copy on write nodes: (bitmap, base) packed in a word; insert copies the small array and swings it.
typedef unsigned long long u64;     // bitmap 32 | base 32
__device__ bool insert(u64 *root, unsigned *cells, unsigned *used, unsigned limit, unsigned key) {
    unsigned slot = key * 0x9e3779b1u >> 27;
    while (true) {
        u64 old = *(volatile u64 *)root;
        unsigned bitmap = (unsigned)(old >> 32), base = (unsigned)old, bit = 1u << slot;
        unsigned rank = __popc(bitmap & (bit - 1)), size = __popc(bitmap);
        if (bitmap & bit) return *(volatile unsigned *)&cells[base + rank] == key;
        unsigned fresh = atomicAdd(used, size + 1);
        if (fresh + size + 1 > limit) return false;
        for (unsigned i = 0; i < rank; ++i) cells[fresh + i] = *(volatile unsigned *)&cells[base + i];
        cells[fresh + rank] = key;
        for (unsigned i = rank; i < size; ++i) cells[fresh + i + 1] = *(volatile unsigned *)&cells[base + i];
        __threadfence();
        if (atomicCAS(root, old, (u64)(bitmap | bit) << 32 | fresh) == old) return true;
    }
}
// assumed: k
extern "C" __global__ void k(u64 *roots, unsigned *cells, unsigned *used, unsigned limit, const unsigned *keys, int *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = insert(&roots[keys[i] % m], cells, used, limit, keys[i]);
}
