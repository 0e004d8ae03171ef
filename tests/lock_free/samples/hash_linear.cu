// open addressing, 64 bit packed pairs, update keeps the largest value
//
// nothing: _Z10insert_allPmjPKjS1_iPi
#include <cstdint>
constexpr uint64_t kEmpty = ~0ull;
__device__ uint32_t murmur(uint32_t h) { h ^= h >> 16; h *= 0x85ebca6b; h ^= h >> 13; h *= 0xc2b2ae35; h ^= h >> 16; return h; }
__device__ bool upsert(uint64_t *table, uint32_t cap, uint32_t key, uint32_t value) {
    uint32_t slot = murmur(key) & (cap - 1);
    const uint64_t want = (uint64_t)key << 32 | value;
    for (uint32_t probes = 0; probes < cap;) {
        uint64_t cur = *(volatile uint64_t *)&table[slot];
        if (cur == kEmpty) {
            cur = atomicCAS((unsigned long long *)&table[slot], kEmpty, want);
            if (cur == kEmpty) return true;
        }
        if ((uint32_t)(cur >> 32) == key) {
            while ((uint32_t)cur < value) {
                uint64_t seen = atomicCAS((unsigned long long *)&table[slot], cur, want);
                if (seen == cur) break;
                cur = seen;
            }
            return true;
        }
        slot = (slot + 1) & (cap - 1);
        ++probes;
    }
    return false;
}
__global__ void insert_all(uint64_t *table, uint32_t cap, const uint32_t *keys, const uint32_t *vals, int n, int *failed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !upsert(table, cap, keys[i], vals[i])) atomicAdd(failed, 1);
}
