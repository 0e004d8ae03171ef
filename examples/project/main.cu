// Runs both kernels and checks them against the host. Without a GPU it says so.
#include <cmath>
#include <cstdio>
#include <vector>

#include "steps.cuh"

__global__ void refine(const float *particles, float *out, int count);
__global__ void score(const float *particles, float *out, int count);

__global__ void border(const float *particles, float *out, int count) {
    settle_all(particles, out, count, 0.9f);
}

static float settled(float x, int steps) {
    for (int step = 0; step < steps; ++step) x = x * 0.999f + std::sqrt(x) * 0.001f;
    return x;
}

static float expected(float x) {
    if (x < 0.25f) return 0.5f * settled(1.0f - x, 96);
    return x > 0.75f ? settled(x, 64) : 0.0f;
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU: the kernels were not run");
        return 0;
    }
    const int count = 100000;
    std::vector<float> particles(count), out(count);
    for (int i = 0; i < count; ++i) particles[i] = static_cast<float>((i * 7919L) % count) / count;
    float *in_device = nullptr, *out_device = nullptr;
    const size_t bytes = count * sizeof(float);
    cudaMalloc(&in_device, bytes);
    cudaMalloc(&out_device, bytes);
    cudaMemcpy(in_device, particles.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(out_device, 0, bytes);
    refine<<<64, 128>>>(in_device, out_device, count);
    score<<<64, 128>>>(in_device, out_device, count);
    border<<<64, 128>>>(in_device, out_device, count);
    cudaMemcpy(out.data(), out_device, bytes, cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) {
        std::puts("a kernel failed");
        return 1;
    }
    for (int i = 0; i < count; ++i) {
        if (std::fabs(out[i] - expected(particles[i])) > 1e-4f) {
            std::printf("particle %d is %f, not %f\n", i, out[i], expected(particles[i]));
            return 1;
        }
    }
    std::puts("all as on the host");
    return 0;
}
