// Cooperative groups: tiles of a warp, groups that form where lanes part, and what is computed in them.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int* scratch, int n)
namespace cg = cooperative_groups;

static __device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int mine(const int* in, int n) { return place() < n ? in[place()] : 0; }

template <int size>
static __device__ int tile_sum(int v) {
  auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  for (int by = size / 2; by > 0; by /= 2) v += tile.shfl_xor(v, by);
  tile.sync();
  return v * 2 + (tile.any(v == 0) ? 1 : 0);
}

#define TILE(size) \
  KERNEL(tile_sum_##size) { out[place()] = tile_sum<size>(mine(in, n)); }
TILE(1)
TILE(2)
TILE(4)
TILE(8)
TILE(16)
TILE(32)

KERNEL(tile_reduce) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  int v = mine(in, n);
  int sum = cg::reduce(warp, v, cg::plus<int>()), most = cg::reduce(tile, v, cg::greater<int>());
  out[place()] = sum - most * 5 + tile.meta_group_rank();
}

KERNEL(tile_scan) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = mine(in, n);
  int before = cg::exclusive_scan(tile, v), with = cg::inclusive_scan(tile, v, cg::less<int>());
  out[place()] = before ^ with * 3;
}

// Lanes that go the same way.
KERNEL(coalesced) {
  int i = place(), v = mine(in, n);
  if (i >= n) return;
  if (v & 1) {
    auto group = cg::coalesced_threads();
    int all = cg::reduce(group, 1, cg::plus<int>());
    if (group.thread_rank() == 0) atomicAdd(&out[0], all);
    group.sync();
  } else {
    auto group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(&out[1], group.size());
  }
}

KERNEL(partition_two) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = mine(in, n);
  auto group = cg::binary_partition(tile, (v & 1) != 0);
  out[place()] = cg::reduce(group, v, cg::plus<int>()) + group.size();
}

KERNEL(partition_labels) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int v = mine(in, n);
  auto group = cg::labeled_partition(tile, v & 3);
  out[place()] = group.shfl(v, 0) * 100 + group.thread_rank();
}

KERNEL(tile_votes) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int v = mine(in, n);
  unsigned odd = tile.ballot(v & 1), same = tile.match_any(v & 3);
  int all = tile.all(v > -900);
  out[place()] = __popc(odd) * 10000 + __popc(same) * 10 + all;
}

KERNEL(tile_shuffles) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = mine(in, n), rank = tile.thread_rank();
  int up = tile.shfl_up(v, 2), down = tile.shfl_down(v, 3), at = tile.shfl(v, (rank * 3) % 8);
  out[place()] = (rank >= 2 ? up : 0) + (rank < 5 ? down * 7 : 0) - at;
}

KERNEL(group_copy) {
  __shared__ int words[256];
  auto block = cg::this_thread_block();
  int size = blockDim.x;
  for (int first = blockIdx.x * size; first < n; first += gridDim.x * size) {
    int count = min(size, n - first);
    cg::memcpy_async(block, words, in + first, sizeof(int) * count);
    cg::wait(block);
    if (block.thread_rank() < count) out[first + block.thread_rank()] = words[(block.thread_rank() + 5) % count];
    block.sync();
  }
}

// A tile does something and others do nothing.
KERNEL(some_tiles) {
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  int v = mine(in, n);
  if (tile.meta_group_rank() % 3 == 0) {
    out[place()] = cg::reduce(tile, v, cg::plus<int>());
  } else if (tile.meta_group_rank() % 3 == 1) {
    out[place()] = tile.shfl(v, 3);
  }
}

KERNEL(block_ranks) {
  auto block = cg::this_thread_block();
  auto first = block.group_index().x * block.num_threads();
  out[first + block.num_threads() - 1 - block.thread_rank()] = in[first + block.thread_rank()];
  cg::sync(block);
}
