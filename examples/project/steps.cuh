// What a particle does once it is inside: many steps, and few particles are.
#pragma once

__device__ inline float settle(float x, int steps) {
    for (int step = 0; step < steps; ++step) x = x * 0.999f + sqrtf(x) * 0.001f;
    return x;
}

// A header with directives: whoever includes it has this loop collected.
__device__ inline void settle_all(const float *particles, float *out, int count, float border) {
    #pragma CCC for
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < count; i += gridDim.x * blockDim.x) {
        #pragma CCC if
        if (particles[i] > border) {
            out[i] = settle(particles[i], 64);
        }
    }
}
