// A correction that is zero but for rare cells, and is added behind the branch.
//
// RUN: ccc --block 96
// REFUSED: line 13: is used after it
extern "C" __global__ void correct(int n, const float *__restrict__ in, float *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i], correction = 0.0f;
        //#CCC if
        if (x < 0.1f) {
            for (int k = 1; k < 10; ++k) correction += x / k;
        }
        out[i] = x + correction;
    }
}
