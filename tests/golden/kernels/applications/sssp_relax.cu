// One round of relaxations of a shortest path search over slotted adjacency lists.
//
// RUN: ccc --block 96
// LAUNCH: relax 2 96 i32:1000 u8[1000]=rand:13 u32[8000]=rand:14 u32[1000]=iota u32[1000]=100000
// EXPECT: same-memory
extern "C" __global__ void relax(int n, const unsigned char *__restrict__ degree, const unsigned int *__restrict__ edge,
                                 const unsigned int *__restrict__ distance, unsigned int *__restrict__ next) {
    //#CCC for
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        unsigned int d = distance[v];
        //#CCC for
        for (int e = 8 * v, end = 8 * v + (degree[v] & 7); e < end; ++e) {
            unsigned int to = (edge[e] >> 4) % n, weight = 1 + (edge[e] & 15);
            atomicMin(&next[to], d + weight);
        }
    }
}
