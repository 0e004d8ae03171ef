// Vertices that are visited: the condition itself claims the vertex.
//
// RUN: ccc --block 96
// LAUNCH: claim 2 96 i32:1000 u32[128]=0 u32[128]=0
// EXPECT: same-memory
extern "C" __global__ void claim(int n, unsigned int *claimed, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int v = (i * 37u) & 127u, before;
        //#CCC if
        if ((before = atomicAdd(&claimed[v], 1u)) == 3 || before == 5) {
            atomicAdd(&out[v], v * 40503u + (before == 3 ? 3u : 5u));
        }
    }
}
