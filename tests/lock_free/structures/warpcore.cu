// WarpCore single value hash table insert: cooperative groups of 8, probing with a limit.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64;
#define EMPTY 0u
// nothing: insert
extern "C" __global__ void insert(unsigned *tkeys, unsigned *tvalues, unsigned capacity, const unsigned *keys, const unsigned *values, unsigned n, unsigned limit, unsigned *status) {
    auto group = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned gid = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    if (gid >= n) return;
    unsigned key = keys[gid];
    unsigned start = key * 2654435761u % capacity, step = (key % (capacity / 8 - 1) + 1) * 8;
    unsigned i = (start / 8 * 8 + group.thread_rank()) % capacity;
    for (unsigned tries = 0; tries < limit; ++tries) {
        unsigned at = *(volatile unsigned *)&tkeys[i];
        unsigned hit = group.ballot(at == key);
        if (hit) {
            if (group.thread_rank() == __ffs(hit) - 1) tvalues[i] = values[gid];
            return;
        }
        unsigned empties = group.ballot(at == EMPTY);
        bool success = false, duplicate = false;
        while (empties) {
            int leader = __ffs(empties) - 1;
            if (group.thread_rank() == leader) {
                unsigned old = atomicCAS(&tkeys[i], EMPTY, key);
                success = old == EMPTY;
                duplicate = old == key;
                if (success || duplicate) tvalues[i] = values[gid];
            }
            if (group.any(duplicate) || group.any(success)) return;
            empties ^= 1u << leader;
        }
        i = (i + step) % capacity;
    }
    if (group.thread_rank() == 0) atomicOr(status, 1u);
}
