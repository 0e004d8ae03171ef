// Alcantara et al. 2009/2011: cuckoo hashing by atomicExch, bounded chain
//
// nothing: _Z5buildPKjS0_iPyjjPj
typedef unsigned long long Entry;
#define EMPTY 0xffffffffffffffffull
__constant__ uint2 consts[4];
__device__ unsigned hf(int k, unsigned key, unsigned size) { return ((consts[k].x ^ key) + consts[k].y) % 334214459u % size; }
__device__ bool insert(unsigned size, unsigned max_iters, Entry *table, Entry entry) {
    unsigned key = entry >> 32;
    unsigned loc = hf(0, key, size);
    for (unsigned its = 0; its < max_iters; its++) {
        entry = atomicExch(&table[loc], entry);
        if (entry == EMPTY) return true;
        key = entry >> 32;
        unsigned l0 = hf(0, key, size), l1 = hf(1, key, size), l2 = hf(2, key, size), l3 = hf(3, key, size);
        if (loc == l0) loc = l1; else if (loc == l1) loc = l2; else if (loc == l2) loc = l3; else loc = l0;
    }
    return false;
}
__global__ void build(const unsigned *keys, const unsigned *vals, int n, Entry *table, unsigned size, unsigned iters, unsigned *failures) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    if (!insert(size, iters, table, (Entry)keys[i] << 32 | vals[i])) atomicAdd(failures, 1u);
}
