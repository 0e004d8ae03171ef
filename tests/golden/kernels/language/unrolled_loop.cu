// The marked loop asks to be unrolled, and so does a loop in the branch.
//
// RUN: ccc --block 96
// LAUNCH: unrolled_loop 2 96 i32:1000 i32[1000]=below:40:1 i32[1000]=0
// LAUNCH: unrolled_loop 1 33 i32:77 i32[1000]=below:40:2 i32[1000]=0
// EXPECT: same-memory

extern "C" __global__ void unrolled_loop(int n, const int *__restrict__ in, int *__restrict__ out) {
//#CCC for
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] > 30) {
            int v[6] = {in[i], i, 3, 4, 5, 6};
#pragma unroll
            for (int r = 0; r < 3; ++r)
#pragma unroll
                for (int k = 0; k < 5; ++k)
                    if (v[k] * 5 % 7 > v[k + 1] % 7) { int t = v[k]; v[k] = v[k + 1]; v[k + 1] = t; }
            out[i] = ((((v[0] * 7 + v[1]) * 7 + v[2]) * 7 + v[3]) * 7 + v[4]) * 7 + v[5];
        }
    }
}
