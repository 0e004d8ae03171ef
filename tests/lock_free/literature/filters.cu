// Approximate membership: Bloom, blocked Bloom, counting Bloom, cuckoo filter, quotient-like fingerprint set.
#include <cuda/atomic>
#include <cstdint>

__device__ __forceinline__ uint64_t xx(uint64_t k, uint64_t seed)
{
    k ^= seed * 0x9E3779B97F4A7C15ull;
    k ^= k >> 33; k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33; k *= 0xc4ceb9fe1a85ec53ull;
    return k ^ (k >> 33);
}

// nothing: bloom_add
// Bloom filter, k bits set by atomicOr (Bloom 1970), Kirsch-Mitzenmacher double hashing
extern "C" __global__ void bloom_add(unsigned* bits, uint64_t nBits, int k, const uint64_t* keys, int n, int* seenBefore)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint64_t a = xx(keys[i], 1), b = xx(keys[i], 2) | 1;
        int old = 1;
        for (int j = 0; j < k; ++j, a += b) {
            uint64_t bit = a % nBits;
            unsigned m = 1u << (bit & 31);
            old &= (atomicOr(&bits[bit >> 5], m) & m) != 0;
        }
        seenBefore[i] = old;
    }
}

// nothing: blocked_bloom_add
// blocked Bloom filter, all bits of a key in one 64-bit word (Putze, Sanders, Singler 2007), atomic_ref fetch_or
extern "C" __global__ void blocked_bloom_add(unsigned long long* words, uint32_t nWords, const uint64_t* keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t h = xx(keys[i], 3);
    unsigned long long m = 0;
    for (int j = 0; j < 5; ++j) m |= 1ull << ((h >> (6 * j)) & 63);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> w(words[(h >> 32) % nWords]);
    if ((w.load(cuda::memory_order_relaxed) & m) != m) w.fetch_or(m, cuda::memory_order_relaxed);
}

// nothing: counting_bloom_update
// counting Bloom filter with saturating 4-bit counters, add or remove, CAS of the word (Fan et al. 2000)
extern "C" __global__ void counting_bloom_update(unsigned* cnt, uint32_t nCounters, const uint64_t* keys, const int* sign, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < 4; ++j) {
        uint32_t c = (uint32_t)(xx(keys[i], 10 + j) % nCounters), sh = (c & 7u) * 4u;
        unsigned* w = cnt + (c >> 3);
        unsigned old = *w, assumed;
        do {
            assumed = old;
            unsigned v = (assumed >> sh) & 15u;
            if (v == 15u || (sign[i] < 0 && v == 0u)) break;        // stuck at the top, or nothing to take
            unsigned nv = sign[i] > 0 ? v + 1 : v - 1;
            old = atomicCAS(w, assumed, (assumed & ~(15u << sh)) | nv << sh);
        } while (old != assumed);
    }
}

// Cuckoo filter: bucket = 4 fingerprints of 16 bits in one 64-bit word, 0 = vacant (Fan et al. 2014).
struct CuckooFilter {
    unsigned long long* bucket;
    uint32_t mask;
    int maxKicks;

    __device__ static unsigned lane(unsigned long long w, int s) { return (unsigned)(w >> (16 * s)) & 0xffffu; }
    __device__ uint32_t alt(uint32_t b, unsigned fp) const { return (b ^ (uint32_t)xx(fp, 77)) & mask; }

    __device__ bool tryPut(uint32_t b, unsigned fp)
    {
        unsigned long long w = *(volatile unsigned long long*)&bucket[b];
        while (true) {
            int s = 0;
            while (s < 4 && lane(w, s) != 0) ++s;
            if (s == 4) return false;
            unsigned long long seen = atomicCAS(&bucket[b], w, w | (unsigned long long)fp << (16 * s));
            if (seen == w) return true;
            w = seen;
        }
    }
    __device__ unsigned swapOut(uint32_t b, unsigned fp, int s)
    {
        unsigned long long w = *(volatile unsigned long long*)&bucket[b], seen;
        for (;;) {
            unsigned long long nw = (w & ~(0xffffull << (16 * s))) | (unsigned long long)fp << (16 * s);
            seen = atomicCAS(&bucket[b], w, nw);
            if (seen == w) return lane(w, s);
            w = seen;
        }
    }
    __device__ bool insert(uint64_t key)
    {
        uint64_t h = xx(key, 5);
        unsigned fp = (unsigned)(h >> 48) | 1u;
        uint32_t b = (uint32_t)h & mask;
        if (tryPut(b, fp) || tryPut(alt(b, fp), fp)) return true;
        for (int k = 0; k < maxKicks; ++k) {
            fp = swapOut(b, fp, (int)((h >> (k & 31)) & 3));
            if (fp == 0) return true;                    // lane had become free
            b = alt(b, fp);
            if (tryPut(b, fp)) return true;
        }
        return false;
    }
    __device__ bool has(uint64_t key) const
    {
        uint64_t h = xx(key, 5);
        unsigned fp = (unsigned)(h >> 48) | 1u;
        uint32_t b = (uint32_t)h & mask;
        unsigned long long w0 = bucket[b], w1 = bucket[alt(b, fp)];
        bool r = false;
        for (int s = 0; s < 4; ++s) r |= lane(w0, s) == fp || lane(w1, s) == fp;
        return r;
    }
    __device__ bool remove(uint64_t key)
    {
        uint64_t h = xx(key, 5);
        unsigned fp = (unsigned)(h >> 48) | 1u;
        uint32_t b = (uint32_t)h & mask;
        for (int side = 0; side < 2; ++side, b = alt(b, fp)) {
            unsigned long long w = *(volatile unsigned long long*)&bucket[b];
            for (int s = 0; s < 4;) {
                if (lane(w, s) != fp) { ++s; continue; }
                unsigned long long seen = atomicCAS(&bucket[b], w, w & ~(0xffffull << (16 * s)));
                if (seen == w) return true;
                w = seen; s = 0;
            }
        }
        return false;
    }
};

// nothing: cuckoo_filter_insert
// cuckoo filter, bounded number of kicks, bucket words swapped by CAS (Fan et al. 2014)
extern "C" __global__ void cuckoo_filter_insert(CuckooFilter f, const uint64_t* keys, int n, unsigned char* ok)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ok[i] = f.insert(keys[i]);
}

// assumed: cuckoo_filter_erase_query
// cuckoo filter deletion of one fingerprint, or membership query
extern "C" __global__ void cuckoo_filter_erase_query(CuckooFilter f, const uint64_t* keys, const char* op, int n, unsigned char* res)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    res[i] = op[i] == 'd' ? f.remove(keys[i]) : f.has(keys[i]);
}

// nothing: fingerprint_dedup
// "visited state" filter of a model checker: 32-bit fingerprints in 32 places of a cache line, then gives up (Laarman et al. 2010 idea)
extern "C" __global__ void fingerprint_dedup(unsigned* lines, uint32_t nLines, const uint64_t* states, int n, int* fresh, int* nFresh)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t h = xx(states[i], 9);
    unsigned fp = (unsigned)h | 1u;
    unsigned* line = lines + (size_t)((h >> 32) % nLines) * 32;
    for (int j = 0; j < 32; ++j) {
        unsigned* p = line + ((fp + j) & 31u);
        unsigned cur = *(volatile unsigned*)p;
        if (cur == 0) cur = atomicCAS(p, 0u, fp);
        if (cur == fp) return;                            // known
        if (cur == 0) break;                              // entered
    }
    fresh[atomicAdd(nFresh, 1)] = i;
}
