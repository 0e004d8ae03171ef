// What nvcc makes of many kinds of code is read and printed byte for byte: textures, atomics, half precision, `switch`, calls, `printf`,
// constant and shared memory, inline assembler, 128-bit loads.
//
// RUN: print
// CHECK-DAG: .const
// CHECK-DAG: .extern .func
// CHECK-DAG: atom.global
// CHECK-DAG: ld.global.v4
// PTXAS: sm_90
// LAUNCH: many 2 33 i32:5 i32[264]=rand:1 i32[66]=0
// EXPECT: same-memory

#include <cstdio>
#include <cuda_fp16.h>

__constant__ int table[5] = {3, 1, 4, 1, 5};

__device__ __noinline__ int called(int x) { return x * x - 1; }

extern "C" __global__ void say(int x) { if (x) printf("%d %f\n", x, 1.5); }

extern "C" __global__ void many(int n, const int4 *in, int *out) {
    __shared__ int shared[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 four = in[i];
    shared[threadIdx.x] = four.x;
    __syncthreads();
    int x = shared[(threadIdx.x + 1) % blockDim.x];
    switch (four.y & 7) {
        case 0: x += four.z; break;
        case 1: x = called(x); break;
        case 2: x ^= table[x & 3]; break;
        case 3: x = __float2int_rn(__half2float(__float2half(1.5f * (x & 255)))); break;
        case 4: x = __popc(x) + __clz(four.w); break;
        case 5: asm volatile("{ .reg .u32 t; mul.hi.u32 t, %0, 77; add.u32 %0, t, %0; }" : "+r"(x)); break;
        default: x = atomicAdd(&out[i], x) + 2;
    }
    out[i] = x;
}
