// One push step of PageRank in whole numbers: long lists of edges are shared among idle lanes.
//
// RUN: ccc --block 96
// LAUNCH: push 2 96 i32:1000 u8[1000]=rand:7 u32[1000]=iota u64[1000]=0
// EXPECT: same-memory
extern "C" __global__ void push(int n, const unsigned char *__restrict__ degree, const unsigned int *__restrict__ rank, unsigned long long *__restrict__ next) {
    //#CCC for
    for (unsigned int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
        unsigned int edges = degree[v];
        edges = edges > 250 ? edges * 4 : edges & 3;
        unsigned int share = 1000000u * rank[v] / (edges + 1);
        //#CCC for
        for (unsigned int e = 0; e < edges; ++e) {
            unsigned int to = (v * 31u + e * e) % n;
            atomicAdd(&next[to], (unsigned long long)(share + e));
        }
    }
}
