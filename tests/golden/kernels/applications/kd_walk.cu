// A walk down a search tree kept in an array, to the leaf of each point.
//
// RUN: ccc --block 96
// LAUNCH: walk 2 96 i32:1000 f32[1023]=rand:20 f32[1000]=rand:21 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void walk(int n, const float *split, const float *point, int *leaf, int *depth) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float p = point[i];
        int node = 0, level = 0;
        //#CCC while
        while (node < 511 && split[node] > 0.15f) {
            node = 2 * node + (p > split[node] ? 2 : 1);
            ++level;
        }
        leaf[i] = node;
        depth[i] = level;
    }
}
