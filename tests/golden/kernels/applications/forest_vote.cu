// A forest of decision trees: samples near the border are judged by all trees.
//
// RUN: ccc --block 96
// LAUNCH: forest 2 96 i32:1000 f32[1000]=rand:18 f32[60]=rand:19 i8[1000]=0
// EXPECT: same-memory
template <int Depth> __device__ __forceinline__ int tree(const float *split, float x) {
    int node = 0;
#pragma unroll
    for (int d = 0; d < Depth; ++d) node = 2 * node + 1 + (x > split[node]);
    return node & 1 ? 1 : -1;
}
extern "C" __global__ void forest(int n, const float *__restrict__ sample, const float *__restrict__ split, signed char *__restrict__ label) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = sample[i];
        signed char verdict = x > 0.5f ? 1 : -1;
        //#CCC if
        if (x > 0.4f && x < 0.6f) {
            int votes = 0;
            for (int t = 0; t < 4; ++t) votes += tree<3>(split + 15 * t, x);
            label[i] = votes;
        }
        else label[i] = verdict;
    }
}
