// Bucketised / cooperative hash tables and block-local tables.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

constexpr uint32_t NOKEY = 0xffffffffu;
typedef unsigned long long pair_t;

__host__ __device__ inline uint32_t fmix(uint32_t h, uint32_t seed)
{
    h ^= seed; h ^= h >> 16; h *= 0x7feb352du; h ^= h >> 15; h *= 0x846ca68bu; h ^= h >> 16;
    return h;
}

// One tile owns one key: lanes load the bucket together, one lane does the CAS.
template <int W>
__device__ bool tileInsert(cg::thread_block_tile<W> tile, pair_t* buckets, uint32_t nBuckets, pair_t kv)
{
    const pair_t empty = ~0ull;
    uint32_t key = (uint32_t)(kv >> 32);
    uint32_t b = fmix(key, 17u) % nBuckets;
    for (uint32_t hop = 0; hop < nBuckets; ++hop) {
        volatile pair_t* base = buckets + (size_t)b * W;
        while (true) {
            pair_t mine = base[tile.thread_rank()];
            if (tile.any((uint32_t)(mine >> 32) == key)) return false;      // present already
            unsigned vac = tile.ballot(mine == empty);
            if (vac == 0) break;                                             // full: next bucket
            int leader = __ffs(vac) - 1;
            pair_t old = 0;
            if ((int)tile.thread_rank() == leader)
                old = atomicCAS((pair_t*)&base[leader], empty, kv);
            old = tile.shfl(old, leader);
            if (old == empty) return true;
            if ((uint32_t)(old >> 32) == key) return false;
        }
        b = b + 1 == nBuckets ? 0 : b + 1;
    }
    return false;
}

// still found: tile_bucket_insert
// cooperative probing with tiles of 8, one key at a time per tile (WarpCore, Juenger et al. 2020)
extern "C" __global__ void tile_bucket_insert(pair_t* buckets, uint32_t nBuckets, const pair_t* in, int n, unsigned* inserted)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    bool todo = tid < n;
    pair_t kv = todo ? in[tid] : 0;
    unsigned queue;
    while ((queue = tile.ballot(todo)) != 0) {
        int src = __ffs(queue) - 1;
        pair_t cur = tile.shfl(kv, src);
        bool ok = tileInsert<8>(tile, buckets, nBuckets, cur);
        if ((int)tile.thread_rank() == src) {
            todo = false;
            if (ok) atomicAdd(inserted, 1u);
        }
    }
}

// nothing: p2c_bucket_insert
// power-of-two-choices bucketed set, one thread per key, chooses the emptier bucket (BGHT, Awad et al. 2021)
extern "C" __global__ void p2c_bucket_insert(uint32_t* tab, uint32_t nBuckets, const uint32_t* keys, int n, int* where)
{
    const int B = 16;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    uint32_t k = keys[t];
    uint32_t b0 = fmix(k, 1u) % nBuckets, b1 = fmix(k, 2u) % nBuckets;
    int placed = -1;
    for (;;) {
        int l0 = 0, l1 = 0;
        for (int j = 0; j < B; ++j) l0 += *(volatile uint32_t*)&tab[b0 * B + j] != NOKEY;
        for (int j = 0; j < B; ++j) l1 += *(volatile uint32_t*)&tab[b1 * B + j] != NOKEY;
        if (l0 == B && l1 == B) break;
        uint32_t b = l0 <= l1 ? b0 : b1;
        int l = l0 <= l1 ? l0 : l1;             // buckets fill from the left
        uint32_t old = atomicCAS(&tab[b * B + l], NOKEY, k);
        if (old == NOKEY) { placed = (int)(b * B + l); break; }
    }
    where[t] = placed;
}

struct SlabHash {
    uint32_t* slabs;      // 32 words each: 31 keys + index of the next slab
    uint32_t  nBuckets;   // first nBuckets slabs are the heads
    uint32_t* slabTop;    // bump counter for the others
    uint32_t  maxSlabs;
};

// nothing: slab_hash_insert
// slab hash, warp-cooperative work sharing, slabs appended by CAS of the next word (Ashkiani et al. 2018)
extern "C" __global__ void slab_hash_insert(SlabHash h, const uint32_t* keys, int n, int* overflow)
{
    const unsigned FULL = 0xffffffffu;
    unsigned lane = threadIdx.x & 31;
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    bool active = tid < n;
    uint32_t myKey = active ? keys[tid] : 0;
    uint32_t cur = 0, lastWork = 0;
    unsigned work;
    while ((work = __ballot_sync(FULL, active)) != 0) {
        int src = __ffs(work) - 1;
        uint32_t key = __shfl_sync(FULL, myKey, src);
        if (work != lastWork) cur = fmix(key, 99u) % h.nBuckets;
        lastWork = work;
        uint32_t word = *(volatile uint32_t*)&h.slabs[cur * 32 + lane];
        unsigned here  = __ballot_sync(FULL, word == key && lane < 31);
        unsigned empty = __ballot_sync(FULL, word == NOKEY && lane < 31);
        if (here) { if ((int)lane == src) active = false; continue; }
        if (empty) {
            if ((int)lane == src) {
                uint32_t old = atomicCAS(&h.slabs[cur * 32 + __ffs(empty) - 1], NOKEY, key);
                if (old == NOKEY || old == key) active = false;
            }
            continue;
        }
        uint32_t next = __shfl_sync(FULL, word, 31);
        if (next == NOKEY) {
            uint32_t fresh = 0;
            if (lane == 0) fresh = atomicAdd(h.slabTop, 1u);
            fresh = __shfl_sync(FULL, fresh, 0);
            if (fresh >= h.maxSlabs) {
                if ((int)lane == src) { active = false; atomicAdd(overflow, 1); }
                continue;
            }
            h.slabs[fresh * 32 + lane] = NOKEY;
            __threadfence(); __syncwarp();
            if (lane == 31) {
                uint32_t old = atomicCAS(&h.slabs[cur * 32 + 31], NOKEY, fresh);
                next = old == NOKEY ? fresh : old;       // loser leaks its slab
            }
            next = __shfl_sync(FULL, next, 31);
        }
        cur = next;
    }
}

// nothing: smem_group_by
// group-by: block-local shared-memory table with linear probing, spilled to a global table at the end
extern "C" __global__ void smem_group_by(const uint32_t* keys, const float* vals, int n, uint32_t* gk, float* gs, uint32_t gmask, int* lost)
{
    __shared__ uint32_t sk[1024];
    __shared__ float    ss[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) { sk[i] = NOKEY; ss[i] = 0.f; }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uint32_t k = keys[i], p = fmix(k, 5u) & 1023u;
        int tries = 0;
        for (; tries < 64; ++tries, p = (p + 1) & 1023u) {
            uint32_t o = atomicCAS(&sk[p], NOKEY, k);
            if (o == NOKEY || o == k) { atomicAdd(&ss[p], vals[i]); break; }
        }
        if (tries == 64) atomicAdd(lost, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        uint32_t k = sk[i];
        if (k == NOKEY) continue;
        uint32_t p = fmix(k, 6u) & gmask;
        while (true) {
            uint32_t o = atomicCAS(&gk[p], NOKEY, k);
            if (o == NOKEY || o == k) break;
            p = (p + 1) & gmask;
        }
        atomicAdd(&gs[p], ss[i]);
    }
}

// found: bucket_slot_lock_insert
// the same kind of bucket table but with a lock bit per bucket taken by the tile's leader (as cuckoo tables with bucket locks)
extern "C" __global__ void bucket_slot_lock_insert(pair_t* buckets, unsigned* locks, uint32_t nBuckets, const pair_t* in, int n, int* full)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int item = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (item >= n) return;
    pair_t kv = in[item];
    uint32_t b = fmix((uint32_t)(kv >> 32), 17u) % nBuckets;
    if (tile.thread_rank() == 0)
        while (atomicOr(&locks[b >> 5], 1u << (b & 31)) & (1u << (b & 31))) __nanosleep(32);
    tile.sync();
    __threadfence();
    unsigned vac = tile.ballot(((volatile pair_t*)buckets)[b * 8 + tile.thread_rank()] == ~0ull);
    if (vac && (int)tile.thread_rank() == __ffs(vac) - 1) ((volatile pair_t*)buckets)[b * 8 + tile.thread_rank()] = kv;
    if (!vac && tile.thread_rank() == 0) atomicAdd(full, 1);
    __threadfence();
    tile.sync();
    if (tile.thread_rank() == 0) atomicAnd(&locks[b >> 5], ~(1u << (b & 31)));
}
