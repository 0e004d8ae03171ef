// HANGS: O3
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int *m, int n) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&m[0], 0, 1) == 0) {
      cg::coalesced_group g = cg::coalesced_threads();
      if (g.thread_rank() == 0) m[1] += 1;
      __threadfence();
      atomicExch(&m[0], 0);
      done = true;
    }
  }
}
