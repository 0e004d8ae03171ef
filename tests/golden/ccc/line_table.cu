// Functions that are inlined into each other, called by the loop and by the path: what is moved keeps the positions of the calls, each behind a
// position that it names.
//
// RUN: ccc --block 64 --arch sm_75
// PTXAS: sm_90
// LAUNCH: k 2 64 u32[1000]=rand:1 u32[1000]=0 i32:1000
// EXPECT: same-memory

__device__ __forceinline__ unsigned stride(unsigned factor) { return gridDim.x * blockDim.x * factor; }

__device__ __forceinline__ unsigned mixed(unsigned x) {
    unsigned y = stride(x) + 3;
    return y ^ stride(y + 1);
}

__device__ __forceinline__ bool wanted(unsigned x) { return ((x ^ mixed(x)) & 12) == 4; }

extern "C" __global__ void k(const unsigned *in, unsigned *out, int n) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride(1)) {
        unsigned c = in[i];
#CCC if
        if (wanted(c)) {
            for (unsigned step = 0; step < (c & 15); ++step) c = c * mixed(c + step) + stride(c);
            out[i] = c + stride(2);
        }
    }
}
