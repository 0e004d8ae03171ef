// Tiles of eight threads of cooperative groups: the first thread of a tile holds the lock, and all of the tile work.
// HANGS: O3 G
// ENDS: 0 128

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(int *data, int n)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    if (tile.thread_rank() == 0) {
        while (atomicCAS(&data[0], 0, 1) != 0)
            ;
        __threadfence();
    }
    tile.sync();
    atomicAdd(&data[1], 1);
    tile.sync();
    if (tile.thread_rank() == 0) {
        __threadfence();
        atomicExch(&data[0], 0);
    }
    (void)n;
}
