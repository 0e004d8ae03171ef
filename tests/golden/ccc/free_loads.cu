// A load leaves its path by itself where its value takes no more room than what its address was made from: here the value of an element
// travels instead of its index. Where the path needs the index as well, the context would grow, and the load stays.
//
// RUN: ccc --block 64
// REPORT: kernel value_alone
// REPORT: hoisted load of $(value=%r[0-9]*) at line 28: 4 sectors, 4 bytes
// REPORT: kernel value_and_index
// REPORT-NOT: hoisted load
//
// PTXAS: sm_90
//
// LAUNCH: value_alone 1 1 i32:1 u32[1]=iota u32[1]=rand:1 u32[64]=0
// LAUNCH: value_alone 2 33 i32:1000 u32[1000]=rand:1 u32[1000]=rand:2 u32[64]=0
// LAUNCH: value_alone 3 64 i32:5000 u32[5000]=0 u32[5000]=rand:2 u32[64]=0
// LAUNCH: value_and_index 2 33 i32:1000 u32[1000]=rand:1 u32[1000]=rand:2 u32[64]=0
// EXPECT: same-memory

__device__ __forceinline__ unsigned mixed(unsigned value) {
    value = (value ^ value >> 15) * 0x9e3779b1u;
    return value ^ value >> 13;
}

extern "C" __global__ void value_alone(int n, const unsigned *key, const unsigned *__restrict__ in, unsigned *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (key[i] % 3 == 0) {
            unsigned value = in[i];
            atomicAdd(&out[value % 64], mixed(value));
        }
    }
}

extern "C" __global__ void value_and_index(int n, const unsigned *key, const unsigned *__restrict__ in, unsigned *out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if (key[i] % 3 == 0) {
            unsigned value = in[i];
            atomicAdd(&out[value % 64], mixed(value + i));
        }
    }
}
