// Lanes with the same label form a group; its leader waits for the leader of the label before it, the group at sync.
// HANGS: O3 G
// ENDS: 8 8 8 8 8 8 8 8
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *data, int n) {
    __shared__ int go[10];
    if (threadIdx.x < 10) go[threadIdx.x] = threadIdx.x == 0 || threadIdx.x == 5;
    __syncthreads();
    int w = threadIdx.x / 32, label = threadIdx.x % n;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto group = cg::labeled_partition(warp, label);
    if (group.thread_rank() == 0) {
        while (atomicAdd(&go[w * 5 + label], 0) == 0) {}
        atomicAdd(&go[w * 5 + label + 1], 1);
    }
    group.sync();
    atomicAdd(&data[(blockIdx.x * 2 + w) * 4 + label], 1);
}
