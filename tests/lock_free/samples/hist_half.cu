// atomic add for half and double by CAS (PyTorch's gpuAtomicAdd for old chips)
//
// nothing: _Z4histPKfPKiiP6__halfPdS5_
#include <cuda_fp16.h>
__device__ void addHalf(__half *address, __half val) {
    unsigned int *base = (unsigned int *)((char *)address - ((size_t)address & 2));
    unsigned int old = *base, assumed;
    do {
        assumed = old;
        __half_raw h;
        h.x = (size_t)address & 2 ? (old >> 16) : (old & 0xffff);
        __half s = __hadd(__half(h), val);
        __half_raw r = __half_raw(s);
        old = (size_t)address & 2 ? (old & 0xffff) | ((unsigned)r.x << 16) : (old & 0xffff0000) | r.x;
        old = atomicCAS(base, assumed, old);
    } while (assumed != old);
}
template <typename F> __device__ double updDouble(double *address, double val, F f) {
    unsigned long long *a = (unsigned long long *)address, old = *a, assumed;
    do { assumed = old; old = atomicCAS(a, assumed, __double_as_longlong(f(val, __longlong_as_double(assumed)))); } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void hist(const float *x, const int *bin, int n, __half *h, double *prod, double *mx) {
    __shared__ double s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        addHalf(h + bin[i], __float2half(x[i]));
        updDouble(&s[bin[i] & 31], (double)x[i], [](double a, double b) { return a + b; });
        updDouble(mx + bin[i], (double)x[i], [](double a, double b) { return fmax(a, b); });
    }
    __syncthreads();
    if (threadIdx.x < 32) updDouble(prod + threadIdx.x, s[threadIdx.x], [](double a, double b) { return a * b; });
}
