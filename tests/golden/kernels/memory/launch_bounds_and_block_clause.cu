// The block size is said by launch bounds, smaller than nothing else says.
//
// RUN: ccc
// LAUNCH: bounded 2 64 i32:2000 i32[2000]=below:9:1 i32[2000]=0
// EXPECT: same-memory
extern "C" __global__ void __launch_bounds__(64, 2) bounded(int n, const int *__restrict__ k, int *__restrict__ out) {
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if probability(0.3)
        if (k[i] > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = h;
        }
    }
}
