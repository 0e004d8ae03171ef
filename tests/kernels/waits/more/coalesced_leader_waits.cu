// The leader of the lanes that are together waits for the other block; nobody else spins.
// ENDS: 1 1 64 64
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *data, int n) {
    if (threadIdx.x < 32) {
        auto g = cg::coalesced_threads();
        if (g.thread_rank() == 0) {
            atomicExch(&data[blockIdx.x], n - 3);
            while (atomicAdd(&data[1 - blockIdx.x], 0) == 0) {}
        }
        g.sync();
    }
    __syncthreads();
    atomicAdd(&data[2 + blockIdx.x], 1);
}
