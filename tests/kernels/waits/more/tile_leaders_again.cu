// Tiles of eight lanes: the first lane of each waits for the tile to its left, and gives the value to its tile by a shuffle.
// HANGS: O3 G
// ENDS: 4 4 4 4 4 4 4 4 5
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *data, int n) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = n;
    if (tile.thread_rank() == 0) {
        if (t > 0) {
            while (atomicAdd(&data[t - 8], 0) == 0) {}
            v = atomicAdd(&data[t - 8], 0) + 1;
        }
        atomicAdd(&data[t], v);
    }
    v = tile.shfl(v, 0);
    if (tile.thread_rank() != 0) data[t] = v;
}
