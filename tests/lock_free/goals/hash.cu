// Lock-free hash tables.
// All kernels: a = scratch, b = results, c = keys, n = how many threads take part. The tables are never full.

typedef unsigned long long Word;

__device__ unsigned linear_keys[1024], linear_values[1024];
__device__ unsigned find_keys[1024];
__device__ Word pair_table[1024];
__device__ Word cuckoo_table[2][512];
__device__ unsigned hop_keys[1024], hop_bitmap[1024];
__device__ Word robin_table[1024];
__device__ unsigned bucket_keys[128][8];
__device__ unsigned slab_head[16], slab_next[256], slab_keys[256][32], slab_used;
__device__ unsigned chain_head[64], chain_next[1024], chain_key[1024];
__device__ unsigned split_bucket[64], split_next[1024], split_key[1024], split_size, split_used;
__device__ unsigned quadratic_keys[1024], double_keys[1024], delete_keys[1024];
__device__ unsigned cache_keys[64][4], cache_clock[64];
__device__ Word wide_keys[512];

__device__ unsigned hash1(unsigned key) { return key * 2654435761u >> 16; }
__device__ unsigned hash2(unsigned key) { return (key ^ key >> 7) * 2246822519u >> 15; }

// nothing: linear_bounded
// Open addressing with linear probing, at most as many probes as there are slots.
extern "C" __global__ void linear_bounded(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned key = c[t] % 40 + 1, slot = hash1(key) & 1023;
    for (int probes = 0; probes < 1024; ++probes) {
        unsigned seen = atomicCAS(&linear_keys[slot], 0, key);
        if (seen == 0) atomicAdd(b, 1);
        if (seen == 0 || seen == key) break;
        slot = (slot + 1) & 1023;
    }
}

// nothing: cuckoo_insert
// Cuckoo hashing: an exchange puts the item in and takes the old one out, which moves to its other place; 64 moves at most.
extern "C" __global__ void cuckoo_insert(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    Word item = (Word)(t + 1) << 32 | t;
    int side = 0, moves = 0;
    while (item != 0 && moves < 64) {
        unsigned key = item >> 32;
        unsigned slot = (side == 0 ? hash1(key) : hash2(key)) & 511;
        item = atomicExch(&cuckoo_table[side][slot], item);
        side ^= 1;
        ++moves;
    }
    if (item == 0) atomicAdd(b, 1);
}

// nothing: tile_probe_insert
// Linear probing by tiles of eight lanes: each lane looks at one of eight slots, a ballot chooses the first empty one.
extern "C" __global__ void tile_probe_insert(unsigned *__restrict__ a, unsigned *__restrict__ b, const unsigned *__restrict__ c, int n) {
    unsigned rank = threadIdx.x & 7, mask = 0xffu << (threadIdx.x & 24);
    unsigned key = (blockIdx.x * blockDim.x + threadIdx.x) / 8 + 1, base = hash1(key) & 504;
    for (int round = 0; round < 64; ++round) {
        Word seen = *(volatile Word *)&wide_keys[base + rank];
        unsigned present = __ballot_sync(mask, seen == key), empty = __ballot_sync(mask, seen == 0);
        if (present != 0) break;
        bool won = false;
        if (empty != 0 && (threadIdx.x & 31) == (unsigned)__ffs(empty) - 1) won = atomicCAS(&wide_keys[base + rank], 0ull, (Word)key) == 0;
        if (__any_sync(mask, won)) { if (rank == 0) atomicAdd(b, 1); break; }
        if (empty == 0) base = (base + 8) & 504;
    }
}
