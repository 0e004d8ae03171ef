// Neighbouring pairs are put in order; how many swaps there were goes into a counter.
//
// RUN: ccc --block 96
// LAUNCH: swap_pair 2 96 i32:500 i32[1000]=below:100:1 i32[1]=0
// LAUNCH: swap_pair 1 33 i32:77 i32[1000]=below:100:2 i32[1]=0
// EXPECT: same-memory

extern "C" __global__ void swap_pair(int n, int *a, int *__restrict__ swaps) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int &low = a[2 * i], &high = a[2 * i + 1];
//#CCC if
        if (low > high) {
            int t = low;
            low = high;
            high = t;
            atomicAdd(swaps, 1);
        }
    }
}
