// HANGS: O3 G
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *m, int n) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = threadIdx.x;
  for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
  if (tile.thread_rank() == 0) {
    while (atomicCAS(&m[0], 0, 1) != 0);
    m[1] += v;
    __threadfence();
    atomicExch(&m[0], 0);
  }
  tile.sync();
  m[64 + threadIdx.x] = 1;
}
