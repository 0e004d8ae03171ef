// Cuckoo, Robin Hood, hopscotch, two-phase tables.
#include <cstdint>
#include <cuda/atomic>

using ull = unsigned long long;
static constexpr ull      kNone  = ~0ull;
static constexpr uint32_t kNoKey = 0xffffffffu;

template <int SEED>
__device__ inline uint32_t hashN(uint32_t x)
{
    x += 0x9e3779b9u * (SEED + 1);
    x ^= x >> 15; x *= 0x2c1b3c6du; x ^= x >> 12; x *= 0x297a2d39u;
    return x ^ (x >> 15);
}

class CuckooTable {
public:
    ull*     cells;
    uint32_t size;
    ull*     stash;       // 128 cells
    int      maxIter;

    __device__ uint32_t place(int which, uint32_t k) const
    {
        uint32_t h = which == 0 ? hashN<0>(k) : which == 1 ? hashN<1>(k) : which == 2 ? hashN<2>(k) : hashN<3>(k);
        return h % size;
    }
    __device__ bool insert(uint32_t k, uint32_t v)
    {
        ull entry = ((ull)k << 32) | v;
        uint32_t loc = place(0, k);
        for (int it = 0; it < maxIter; ++it) {
            entry = atomicExch(&cells[loc], entry);
            uint32_t ek = (uint32_t)(entry >> 32);
            if (entry == kNone) return true;
            // go to the next function after the one that had put it here
            int w = 3;
            if (loc == place(2, ek)) w = 3;
            if (loc == place(3, ek)) w = 0;
            if (loc == place(1, ek)) w = 2;
            if (loc == place(0, ek)) w = 1;
            loc = place(w, ek);
        }
        uint32_t s = hashN<7>((uint32_t)(entry >> 32)) & 127u;
        for (int j = 0; j < 128; ++j)
            if (atomicCAS(&stash[(s + j) & 127u], kNone, entry) == kNone) return true;
        return false;
    }
    __device__ uint32_t find(uint32_t k) const
    {
        for (int w = 0; w < 4; ++w) {
            ull e = *(const volatile ull*)&cells[place(w, k)];
            if ((uint32_t)(e >> 32) == k) return (uint32_t)e;
        }
        uint32_t s = hashN<7>(k) & 127u;
        for (int j = 0; j < 128; ++j) {
            ull e = stash[(s + j) & 127u];
            if (e == kNone) break;
            if ((uint32_t)(e >> 32) == k) return (uint32_t)e;
        }
        return kNoKey;
    }
};

// nothing: cuckoo_build
// cuckoo hashing by atomicExch with bounded evictions and a stash, Alcantara et al. 2009
extern "C" __global__ void cuckoo_build(CuckooTable t, const uint32_t* k, const uint32_t* v, int n, int* failures)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !t.insert(k[i], v[i])) atomicAdd(failures, 1);
}

// nothing: cuckoo_lookup
// cuckoo lookup, four places and the stash, Alcantara et al. 2009
extern "C" __global__ void cuckoo_lookup(CuckooTable t, const uint32_t* k, int n, uint32_t* out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = t.find(k[i]);
}

// nothing: rh_insert_approx
// Robin Hood insertion, richer entry displaced by CAS and carried on (Celis; lock-free only approximately ordered)
extern "C" __global__ void rh_insert_approx(ull* tab, uint32_t mask, const uint32_t* keys, const uint32_t* vals, int n, int* dropped)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= n) return;
    ull mine = ((ull)keys[tid] << 32) | vals[tid];
    uint32_t pos = hashN<0>(keys[tid]) & mask, dist = 0, total = 0;
    while (total < 4u * (mask + 1)) {
        ull cur = *(volatile ull*)&tab[pos];
        if (cur == kNone) {
            if (atomicCAS(&tab[pos], kNone, mine) == kNone) return;
            continue;                                   // re-examine the same place
        }
        if ((cur >> 32) == (mine >> 32)) { if (atomicCAS(&tab[pos], cur, mine) == cur) return; else continue; }
        uint32_t home = hashN<0>((uint32_t)(cur >> 32)) & mask;
        uint32_t theirs = (pos - home) & mask;
        if (theirs < dist) {
            if (atomicCAS(&tab[pos], cur, mine) != cur) continue;
            mine = cur; dist = theirs;
        }
        pos = (pos + 1) & mask;
        ++dist; ++total;
    }
    atomicAdd(dropped, 1);
}

struct HopBucket { uint32_t hop; uint32_t stamp; uint32_t key; uint32_t val; };

// nothing: hop_lookup
// hopscotch lookup: timestamp re-checked a bounded number of times, then neighbourhood scan; Herlihy/Shavit/Tzafrir 2008
extern "C" __global__ void hop_lookup(HopBucket* b, uint32_t mask, const uint32_t* keys, int n, uint32_t* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t k = keys[i], h = hashN<0>(k) & mask;
    volatile HopBucket* vb = b;
    for (int tries = 0; tries < 3; ++tries) {
        uint32_t s0 = vb[h].stamp;
        __threadfence();
        for (uint32_t hop = vb[h].hop; hop; hop &= hop - 1) {
            uint32_t j = (h + __ffs(hop) - 1) & mask;
            if (vb[j].key == k) { out[i] = vb[j].val; return; }
        }
        __threadfence();
        if (s0 == vb[h].stamp) { out[i] = kNoKey; return; }
    }
    uint32_t r = kNoKey;
    for (int j = 0; j < 32; ++j)
        if (vb[(h + j) & mask].key == k) r = vb[(h + j) & mask].val;
    out[i] = r;
}

// nothing: two_phase_put
// key claimed by CAS, value stored afterwards with release; losers of the same key simply overwrite the value
extern "C" __global__ void two_phase_put(uint32_t* keys, ull* vals, uint32_t mask, const uint32_t* ik, const ull* iv, int n, int* full)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t h = hashN<1>(ik[i]) & mask;
    for (uint32_t p = 0; p <= mask; ++p, h = (h + 1) & mask) {
        cuda::atomic_ref<uint32_t, cuda::thread_scope_device> slot(keys[h]);
        uint32_t expect = kNoKey;
        bool got = slot.compare_exchange_strong(expect, ik[i], cuda::memory_order_acq_rel);
        if (got || expect == ik[i]) {
            cuda::atomic_ref<ull, cuda::thread_scope_device>(vals[h]).store(iv[i], cuda::memory_order_release);
            return;
        }
    }
    atomicExch(full, 1);
}

// nothing: two_phase_get
// lookup in the two-phase table: key present but value still unset is answered as "pending", no waiting
extern "C" __global__ void two_phase_get(uint32_t* keys, ull* vals, uint32_t mask, const uint32_t* q, int n, ull* out, char* state)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t h = hashN<1>(q[i]) & mask;
    char st = 0; ull v = 0;
    for (uint32_t p = 0; p <= mask; ++p) {
        uint32_t k = cuda::atomic_ref<uint32_t, cuda::thread_scope_device>(keys[h]).load(cuda::memory_order_acquire);
        if (k == kNoKey) break;
        if (k == q[i]) {
            v = cuda::atomic_ref<ull, cuda::thread_scope_device>(vals[h]).load(cuda::memory_order_acquire);
            st = v == kNone ? 2 : 1;
            break;
        }
        h = (h + 1) & mask;
    }
    out[i] = v; state[i] = st;
}

// found: hop_insert_seglock
// hopscotch insertion under a segment lock (as in the 2008 paper): spins on the segment's lock word
extern "C" __global__ void hop_insert_seglock(HopBucket* b, uint32_t mask, int* segLocks, const uint32_t* keys, const uint32_t* vals, int n, int* fail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t h = hashN<0>(keys[i]) & mask;
    int* lock = &segLocks[h >> 6];
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            int j = 0;
            for (; j < 32; ++j)
                if (atomicCAS(&b[(h + j) & mask].key, kNoKey, keys[i]) == kNoKey) break;
            if (j < 32) {
                b[(h + j) & mask].val = vals[i];
                atomicOr(&b[h].hop, 1u << j);
                atomicAdd(&b[h].stamp, 1u);
            } else atomicAdd(fail, 1);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
