// One directive, several kernels' worth of code: a template that is instantiated twice, and a function that is inlined twice into one
// kernel. Each copy is a region of its own, with a context of its own types.
//
// RUN: ccc --block 64
// REPORT: kernel _Z5scaleIdEviPKiPT_
// REPORT: region line 22 in loop line 20: context
// REPORT: kernel _Z5scaleIfEviPKiPT_
// REPORT: region line 22 in loop line 20: context
// REPORT: kernel twice: shared 512 bytes
// REPORT: region line 35 in loop line 33: context
// REPORT: region line 35 in loop line 33, copy 1: context
// PTXAS: sm_90
// LAUNCH: _Z5scaleIdEviPKiPT_ 2 64 i32:1000 i32[1000]=rand:1 f64[1000]=rand:2
// LAUNCH: _Z5scaleIfEviPKiPT_ 2 64 i32:1000 i32[1000]=rand:1 f32[1000]=rand:2
// LAUNCH: twice 1 64 i32:1000 i32[1000]=rand:3 i32[1000]=0 i32[1000]=0
// EXPECT: same-memory, efficiency rises

template <class T> __global__ void scale(int n, const int *key, T *data) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            T x = data[i];
            for (int k = 0; k < 20; ++k) x = x * T(1.25) - T(0.5);
            data[i] = x;
        }
    }
}
template __global__ void scale<double>(int, const int *, double *);
template __global__ void scale<float>(int, const int *, float *);
__device__ __forceinline__ void pass(int n, int residue, const int *key, int *out) {
#CCC for
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
#CCC if
        if ((key[i] & 7) == residue) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k + residue;
            out[i] = x;
        }
    }
}

extern "C" __global__ void twice(int n, const int *key, int *first, int *second) {
    pass(n, 1, key, first);
    pass(n, 2, key, second);
}
