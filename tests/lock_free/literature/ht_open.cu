// Open-addressing tables: linear, quadratic, double hashing; everything in one word per slot.
#include <cstdint>

typedef unsigned long long u64;

#define EMPTY_SLOT 0xffffffffffffffffull
#define DEAD_VALUE 0xfffffffeu

struct Table {
    u64*     slots;   // key in the upper half, value in the lower half
    uint32_t mask;    // capacity - 1, capacity a power of two
};

__device__ __forceinline__ uint32_t mix32(uint32_t h)
{
    h ^= h >> 16; h *= 0x85ebca6bu;
    h ^= h >> 13; h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}
__device__ __forceinline__ u64      pack(uint32_t k, uint32_t v) { return ((u64)k << 32) | v; }
__device__ __forceinline__ uint32_t keyOf(u64 w) { return (uint32_t)(w >> 32); }
__device__ __forceinline__ uint32_t valOf(u64 w) { return (uint32_t)w; }

__device__ int tableUpsert(Table t, uint32_t k, uint32_t v)
{
    uint32_t i = mix32(k) & t.mask;
    for (uint32_t probes = 0; probes <= t.mask; ++probes, i = (i + 1) & t.mask) {
        u64 cur = *(volatile u64*)&t.slots[i];
        if (cur == EMPTY_SLOT) {
            u64 old = atomicCAS(&t.slots[i], EMPTY_SLOT, pack(k, v));
            if (old == EMPTY_SLOT) return 1;
            cur = old;                       // somebody beat us; look at what is there now
        }
        if (keyOf(cur) == k) {
            for (;;) {                       // key never leaves the slot, only the value changes
                u64 old = atomicCAS(&t.slots[i], cur, pack(k, v));
                if (old == cur) return valOf(cur) == DEAD_VALUE ? 2 : 0;
                cur = old;
            }
        }
    }
    return -1;
}

// nothing: lp_insert64
// linear probing upsert, key/value in one 64-bit word; key sticks to the slot (after C. Click's NBHM)
extern "C" __global__ void lp_insert64(Table t, const uint32_t* keys, const uint32_t* vals, int n, int* status)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        status[i] = tableUpsert(t, keys[i], vals[i]);
}

// nothing: lp_find64
// linear probing lookup, stops at an empty slot; dead value counts as absent
extern "C" __global__ void lp_find64(Table t, const uint32_t* keys, int n, uint32_t* out)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid >= n) return;
    uint32_t k = keys[gid];
    uint32_t slot = mix32(k) & t.mask;
    uint32_t res = DEAD_VALUE;
    while (true) {
        u64 w = ((volatile u64*)t.slots)[slot];
        if (w == EMPTY_SLOT) break;
        if (keyOf(w) == k) { res = valOf(w); break; }
        slot = (slot + 1) & t.mask;
    }
    out[gid] = res;
}

// nothing: lp_erase64
// linear probing erase: value replaced by a tombstone with CAS, old value handed back
extern "C" __global__ void lp_erase64(Table t, const uint32_t* keys, int n, uint32_t* oldVals)
{
    int stride = gridDim.x * blockDim.x;
    for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < n; g += stride) {
        uint32_t k = keys[g];
        uint32_t i = mix32(k) & t.mask;
        uint32_t got = DEAD_VALUE;
        u64 w = *(volatile u64*)&t.slots[i];
        while (w != EMPTY_SLOT) {
            if (keyOf(w) == k) {
                if (valOf(w) == DEAD_VALUE) break;
                u64 seen = atomicCAS(&t.slots[i], w, pack(k, DEAD_VALUE));
                if (seen == w) { got = valOf(w); break; }
                w = seen;
                continue;
            }
            i = (i + 1) & t.mask;
            w = *(volatile u64*)&t.slots[i];
        }
        oldVals[g] = got;
    }
}

__device__ uint32_t g_setKeys[1 << 20];   // 0 = empty

// nothing: qp_set_insert
// hash set with triangular (quadratic) probing on a __device__ global array, Maier/Sanders/Dementiev style
extern "C" __global__ void qp_set_insert(const uint32_t* keys, int n, unsigned char* isNew, int* overflow)
{
    const uint32_t mask = (1u << 20) - 1;
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid >= n) return;
    uint32_t k = keys[gid];
    uint32_t pos = mix32(k) & mask;
    for (uint32_t step = 1; step <= 4096; ++step) {
        uint32_t prev = atomicCAS(&g_setKeys[pos], 0u, k);
        if (prev == 0u) { isNew[gid] = 1; return; }
        if (prev == k)  { isNew[gid] = 0; return; }
        pos = (pos + step) & mask;
    }
    isNew[gid] = 0;
    atomicAdd(overflow, 1);
}

// nothing: dh_count
// counting (aggregation) table with double hashing: key claimed by CAS, count added in a parallel array
extern "C" __global__ void dh_count(uint32_t* tkeys, unsigned* tcounts, uint32_t cap, const uint32_t* in, int n, int* lost)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint32_t k = in[i];
        uint32_t h1 = mix32(k) % cap;
        uint32_t h2 = 1 + mix32(k ^ 0x9e3779b9u) % (cap - 1);
        bool done = false;
        for (uint32_t j = 0; j < cap && !done; ++j) {
            uint32_t cur = tkeys[h1];
            if (cur == 0xffffffffu) cur = atomicCAS(&tkeys[h1], 0xffffffffu, k);
            if (cur == 0xffffffffu || cur == k) { atomicAdd(&tcounts[h1], 1u); done = true; }
            h1 += h2;
            if (h1 >= cap) h1 -= cap;
        }
        if (!done) atomicAdd(lost, 1);
    }
}

struct WideSlot { uint32_t key; uint32_t ready; u64 value; };

// found: lp_insert_wait_value
// linear probing with a wide value: the second inserter of a key spins until the first has published the value
extern "C" __global__ void lp_insert_wait_value(WideSlot* slots, uint32_t mask, const uint32_t* keys, const u64* vals,
                                               int n, u64* firstValue)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid >= n) return;
    uint32_t k = keys[gid], i = mix32(k) & mask;
    for (uint32_t probes = 0; probes <= mask; ++probes) {
        uint32_t prev = atomicCAS(&slots[i].key, 0xffffffffu, k);
        if (prev == 0xffffffffu) {
            slots[i].value = vals[gid];
            __threadfence();
            *(volatile uint32_t*)&slots[i].ready = 1u;
            firstValue[gid] = vals[gid];
            return;
        }
        if (prev == k) {
            while (*(volatile uint32_t*)&slots[i].ready == 0u) { }
            __threadfence();
            firstValue[gid] = *(volatile u64*)&slots[i].value;
            return;
        }
        i = (i + 1) & mask;
    }
}
