// The rest publishes what the path wrote with a fence and a flag, for which the second block waits.
//
// RUN: ccc --block 64
// LAUNCH: k 2 64 i32:200 i32[200]=below:4:1 i32[200]=iota i32[200]=0 i32[200]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ a, int* __restrict__ flag, int* __restrict__ out) {
    if (blockIdx.x == 0) {
#CCC for
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            int v = kind[i];
#CCC if
            if (v == 1) {
                a[i] = i * 7 + v;
            }
            __threadfence();
            *(volatile int*)&flag[i] = 1;
        }
    } else {
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            while (*(volatile int*)&flag[i] == 0) {}
            __threadfence();
            out[i] = *(volatile int*)&a[i];
        }
    }
}
