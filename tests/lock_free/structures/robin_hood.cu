// Robin Hood with 64-bit slots (age in the key's upper bits): the poorer entry takes the slot by CAS (Garcia et al. 2011).
typedef unsigned long long u64;
#define EMPTY 0ull
__device__ __forceinline__ unsigned pos(unsigned key, unsigned age, unsigned mask) { return (key * (2 * age + 0x9e3779b1u) ^ age * 0x85ebca6bu) & mask; }
__device__ __forceinline__ unsigned age_of(u64 e) { return (unsigned)(e >> 60); }
// nothing: insert
extern "C" __global__ void insert(u64 *table, unsigned mask, const unsigned *keys, unsigned n, unsigned *fail) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 mine = 1ull << 60 | keys[i];
    unsigned age = 1;
    while (age < 16) {
        unsigned at = pos((unsigned)mine, age, mask);
        u64 carried = (mine & 0x0fffffffffffffffull) | (u64)age << 60;
        u64 seen = atomicMax(&table[at], carried);
        if (seen == EMPTY || (seen & 0x0fffffffffffffffull) == (carried & 0x0fffffffffffffffull)) return;
        if (seen < carried) {            // we took the slot, go on with who was there
            mine = seen;
            age = age_of(seen);
        }
        ++age;
    }
    atomicAdd(fail, 1);
}
