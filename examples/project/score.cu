#include "steps.cuh"

__device__ float weight = 0.5f;

__global__ void score(const float *particles, float *out, int count) {
    settle_all(particles, out, count, 0.75f);
}
