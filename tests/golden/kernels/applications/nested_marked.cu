// A marked loop in a marked branch: hits of a broad phase are refined step by step.
//
// RUN: ccc --block 96 --all
// LAUNCH: refine 2 96 i32:1000 f32[1000]=rand:19 f32[1000]=0 i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void refine(int n, const float *__restrict__ start, float *__restrict__ root, int *__restrict__ steps) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float s = start[i];
        //#CCC if
        if (s > 0.5f) {
            float x = s;
            int count = 0;
            //#CCC while
            while (fabsf(x * x - s) > 1e-5f && count < 40) {
                x = 0.5f * (x + s / x);
                ++count;
            }
            root[i] = x;
            steps[i] = count;
        }
    }
}
