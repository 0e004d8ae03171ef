// Directives above the line that the `else if` is on, with the brace before it or without, mean the `if` of that line.
//
// RUN: ccc --block 64
// REPORT: region line 17
// REPORT: region line 21
// REPORT: region line 26
// PTXAS: sm_90
// LAUNCH: chain 2 64 i32:2000 i32[2000]=rand:1 i32[2000]=0
// LAUNCH: chain 1 33 i32:500 i32[500]=rand:2 i32[500]=0
// EXPECT: same-memory

extern "C" __global__ void chain(int n, const int *key, int *out) {
    int stride = gridDim.x * blockDim.x;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
#CCC if
        if ((key[i] & 7) == 0) {
            for (int k = 0; k < 20; ++k) atomicAdd(&out[i], k * i);
        }
#CCC if
        else if ((key[i] & 7) == 1) {
            int x = i;
            for (int k = 0; k < 20; ++k) x = x * 3 + k;
            out[i] = x;
#CCC if
        } else if ((key[i] & 7) == 2) {
            for (int k = 0; k < 20; ++k) atomicAdd(&out[i], k - i);
        }
    }
}
