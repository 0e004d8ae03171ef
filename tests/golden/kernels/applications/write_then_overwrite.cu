// A heat map: hot cells get a costly value, and each cell is then scaled in place in the same iteration.
//
// RUN: ccc --block 96
// LAUNCH: heat 2 96 i32:1000 f32[1000]=rand:22
// EXPECT: same-memory
extern "C" __global__ void heat(int n, float *cell) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float c = cell[i];
        //#CCC if
        if (c > 0.8f) {
            for (int k = 0; k < 12; ++k) c = c * c + 0.1f;
            cell[i] = c;
        }
        cell[i] = cell[i] * 0.5f + 1.0f;
    }
}
