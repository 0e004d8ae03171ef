// CUDPP / Alcantara cuckoo hash: evict by atomicExch, at most max_evictions times, then a stash.
typedef unsigned long long u64;
#define EMPTY 0xffffffffffffffffull
struct Constants { uint2 c[4]; };
__device__ unsigned h(uint2 c, unsigned key, unsigned size) { return ((c.x ^ key) + c.y) % 4294967291u % size; }
// nothing: build
extern "C" __global__ void build(u64 *table, unsigned size, Constants cs, const unsigned *keys, const unsigned *values, unsigned n,
                      u64 *stash, unsigned max_evictions, unsigned *failures) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 entry = (u64)keys[i] << 32 | values[i];
    unsigned location = h(cs.c[0], keys[i], size);
    for (unsigned round = 0; round < max_evictions; ++round) {
        entry = atomicExch(&table[location], entry);
        unsigned key = (unsigned)(entry >> 32);
        if (entry == EMPTY) return;
        unsigned l0 = h(cs.c[0], key, size), l1 = h(cs.c[1], key, size), l2 = h(cs.c[2], key, size), l3 = h(cs.c[3], key, size);
        unsigned next = l0;
        if (location == l2) next = l3;
        else if (location == l1) next = l2;
        else if (location == l0) next = l1;
        location = next;
    }
    unsigned slot = (unsigned)(entry >> 32) % 101;
    if (atomicCAS(&stash[slot], EMPTY, entry) != EMPTY) atomicAdd(failures, 1);
}
