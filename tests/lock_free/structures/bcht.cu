// Bucketed cuckoo hash (Awad et al. 2022), 16 lanes per key: load the bucket, CAS at the load count, else exchange a random victim, bounded.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64;
#define EMPTY 0xffffffffffffffffull
// nothing: insert
extern "C" __global__ void insert(u64 *table, unsigned buckets, const u64 *pairs, int n, int max_chain, int *fail) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    bool todo = t < n;
    u64 mine = todo ? pairs[t] : EMPTY;
    unsigned queue;
    while ((queue = tile.ballot(todo))) {
        int src = __ffs(queue) - 1;
        u64 pair = tile.shfl(mine, src);
        unsigned b = (unsigned)pair * 0x9e3779b1u % buckets;
        bool ok = false;
        for (int chain = 0; chain < max_chain && !ok;) {
            u64 *slot = &table[b * 16 + tile.thread_rank()];
            u64 seen = *(volatile u64 *)slot;
            int load = __popc(tile.ballot(seen != EMPTY));
            if (load != 16) {
                if (tile.thread_rank() == load) ok = atomicCAS(slot, EMPTY, pair) == EMPTY;
                ok = tile.shfl(ok, load);
                if (!ok) ++chain;
            } else {
                int victim = ((unsigned)pair >> 5 ^ chain) & 15;
                if (tile.thread_rank() == victim) pair = atomicExch(slot, pair);
                pair = tile.shfl(pair, victim);
                unsigned h1 = (unsigned)pair * 0x9e3779b1u % buckets, h2 = (unsigned)pair * 0x85ebca6bu % buckets;
                b = b == h1 ? h2 : h1;
                ++chain;
            }
        }
        if (tile.thread_rank() == src) { todo = false; if (!ok) atomicAdd(fail, 1); }
    }
}
