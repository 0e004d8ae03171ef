// Tiles of cooperative groups before and behind the marked loop; the tile's rank decides who takes which element.
//
// RUN: ccc --block 96
// LAUNCH: groups_around 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i32[64]=0
// LAUNCH: groups_around 1 64 i32:77 i32[1000]=below:40:2 i32[1000]=0 i32[64]=0
// EXPECT: same-memory

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups_around(int n, const int *__restrict__ in, int *__restrict__ out, int *__restrict__ sums) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / 16, tiles = gridDim.x * blockDim.x / 16;
    int total = 0;
    for (int base = first * 16; base < n; base += tiles * 16) {
        int i = base + tile.thread_rank();
        int v = i < n ? in[i] : 0;
        for (int d = 8; d > 0; d /= 2) v += tile.shfl_down(v, d);
        if (tile.thread_rank() == 0) total += v;
    }
    tile.sync();
//#CCC for
    for (int i = first * 16 + tile.thread_rank(); i < n; i += tiles * 16) {
//#CCC if
        if (in[i] % 8 == 3) {
            int h = in[i];
            for (int k = 0; k < 6; ++k) h = h * 31 + i;
            out[i] = h;
        }
    }
    block.sync();
    if (tile.thread_rank() == 0) atomicAdd(&sums[0], total);
}
