// Levels of a search by one block: each level is a marked loop between barriers.
//
// RUN: ccc --block 96
// LAUNCH: levels 1 96 i32:1000 u32[1000]=rand:4 u32[1000]=0
// LAUNCH: levels 1 33 i32:77 u32[1000]=rand:4 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void levels(int n, const unsigned int *__restrict__ link, unsigned int *level) {
    if (blockIdx.x > 0) return;
    if (threadIdx.x == 0 && n > 0) level[0] = 1;
    __syncthreads();
    for (int l = 1; l < 6; ++l) {
        //#CCC for
        for (int v = threadIdx.x; v < n; v += blockDim.x) {
            //#CCC if independent
            if (atomicAdd(&level[v], 0) == l) {
                unsigned int to = link[v];
                for (int k = 0; k < 3; ++k) { atomicCAS(&level[to % n], 0u, l + 1u); to = to * 5 + 1; }
            }
        }
        __syncthreads();
    }
}
