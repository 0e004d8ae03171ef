// Each thread counts itself done behind a fence; the last one sums up what all wrote. The fence is in the rest.
//
// RUN: ccc --block 64
// LAUNCH: k 5 64 i32:300 i32[300]=below:4:1 i32[300]=iota i32[2]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ done) {
#CCC grid blocks(2)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = kind[i];
#CCC if
    if (v == 1) { a[i] = i * 7 + v; }
    __threadfence();
    if (atomicAdd(&done[0], 1) == n - 1) {
        __threadfence();
        int s = 0;
        for (int j = 0; j < n; ++j) s = s * 3 + ((volatile int*)a)[j];
        done[1] = s;
    }
}
