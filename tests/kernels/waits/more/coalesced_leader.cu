// The threads of a branch form a coalesced group, whose first thread takes the lock and adds for all of them.
// ENDS: 0 64

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void k(int *data, int n)
{
    if ((threadIdx.x + n) % 2 == 0) {
        auto group = cg::coalesced_threads();
        int members = group.size();
        if (group.thread_rank() == 0) {
            while (atomicCAS(&data[0], 0, 1) != 0)
                ;
            __threadfence();
            volatile int *total = data + 1;
            *total = *total + members;
            __threadfence();
            atomicExch(&data[0], 0);
        }
        group.sync();
    }
}
