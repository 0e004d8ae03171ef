// Phases of a wave: far ones need the slow way of sinf, which has an array of its own.
//
// RUN: ccc --block 96
// REFUSED: line 11: uses local memory
extern "C" __global__ void wave(int n, const float *__restrict__ phase, float *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float p = phase[i];
        //#CCC if
        if (p > 0.7f) {
            out[i] = sinf(p * 1000000.0f) + cosf(p);
        }
    }
}
