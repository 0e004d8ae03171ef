#include "steps.cuh"

extern __device__ float weight;

__global__ void refine(const float *particles, float *out, int count) {
    //#CCC for
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < count; i += gridDim.x * blockDim.x) {
        //#CCC if
        if (particles[i] < 0.25f) {
            out[i] = weight * settle(1.0f - particles[i], 96);
        }
    }
}
