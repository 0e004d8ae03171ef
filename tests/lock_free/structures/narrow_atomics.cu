// Atomics of 8 and 16 bits on 32-bit words, half adds, saturating add (PyTorch's Atomic.cuh style).
#include <cuda_fp16.h>
__device__ void add8(unsigned char *address, unsigned char val) {
    size_t offset = (size_t)address & 3;
    unsigned *base = (unsigned *)((char *)address - offset);
    unsigned old = *base, assumed, shift = offset * 8;
    do {
        assumed = old;
        unsigned sum = (val + (old >> shift & 0xff)) & 0xff;
        old = atomicCAS(base, assumed, (old & ~(0xffu << shift)) | sum << shift);
    } while (assumed != old);
}
__device__ void add_half(__half *address, __half val) {
    unsigned *base = (unsigned *)((char *)address - ((size_t)address & 2));
    unsigned old = *base, assumed;
    do {
        assumed = old;
        __half_raw hsum;
        hsum.x = (size_t)address & 2 ? (old >> 16) : (old & 0xffff);
        __half tmp = __hadd(__half(hsum), val);
        hsum = __half_raw(tmp);
        old = (size_t)address & 2 ? (old & 0xffff) | (unsigned)hsum.x << 16 : (old & 0xffff0000) | hsum.x;
        old = atomicCAS(base, assumed, old);
    } while (assumed != old);
}
__device__ void saturating(unsigned short *p, unsigned short v) {
    unsigned short old = *p, assumed;
    do {
        assumed = old;
        unsigned s = assumed + v;
        old = atomicCAS(p, assumed, (unsigned short)min(s, 65535u));
    } while (old != assumed);
}
// nothing: k
extern "C" __global__ void k(unsigned char *c, __half *h, unsigned short *s, const int *at, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        add8(c + at[i], i);
        add_half(h + at[i], __float2half(1.f));
        saturating(s + at[i], 3);
    }
}
