// The marked loop is in a function template that two kernels' worth of types use.
//
// RUN: ccc --block 96
// LAUNCH: template_walk 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0 i64[1000]=0
// LAUNCH: template_walk 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0 i64[1000]=0
// EXPECT: same-memory

template <typename T, int Rounds>
__device__ __forceinline__ void walk(int n, const int *__restrict__ in, T *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] < 9) {
            T h = i;
            if constexpr (Rounds > 3) h += 5;
#pragma unroll
            for (int k = 0; k < Rounds; ++k) h = h * 1000003 + in[i];
            out[i] = h;
        }
    }
}

extern "C" __global__ void template_walk(int n, const int *__restrict__ in, int *__restrict__ narrow, long long *__restrict__ wide) {
    walk<int, 3>(n, in, narrow);
    walk<long long, 5>(n, in, wide);
}
