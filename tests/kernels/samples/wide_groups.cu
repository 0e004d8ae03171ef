// Tiles of several warps, which take memory that the compiler keeps for them (`%reserved_smem_offset`).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)
namespace cg = cooperative_groups;

#define TILE(size)                                                              \
  KERNEL(wide_tile_##size) {                                                    \
    auto tile = cg::tiled_partition<size>(cg::this_thread_block());             \
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;       \
    int sum = cg::reduce(tile, v, cg::plus<int>());                             \
    tile.sync();                                                                \
    int most = cg::reduce(tile, v, cg::greater<int>());                         \
    out[i] = sum ^ most * 3;                                                    \
  }
TILE(64)
TILE(128)
TILE(256)
TILE(512)
