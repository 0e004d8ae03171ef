// Activations in half precision: the few positive ones are computed.
//
// RUN: ccc --block 96
// LAUNCH: activate 2 96 i32:1000 u16[1000]=rand:13 u16[1000]=0
// EXPECT: same-memory
#include <cuda_fp16.h>
extern "C" __global__ void activate(int n, const unsigned short *__restrict__ in, unsigned short *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        __half h = __ushort_as_half(in[i] & 0xbbff);
        __half twice = __hadd(h, h);
        //#CCC if
        if (__hgt(h, __ushort_as_half(0x3000))) {
            __half y = __hfma(h, twice, __ushort_as_half(0x3c00));
            y = __hmul(y, twice);
            out[i] = __half_as_ushort(y);
        }
    }
}
