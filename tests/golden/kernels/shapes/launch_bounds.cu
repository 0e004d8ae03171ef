// __launch_bounds__ says the block, three-dimensional launches.
//
// RUN: ccc
// LAUNCH: k 2,1,2 5,3,7 i32:1000 i32[1000]=below:4:1 i32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void __launch_bounds__(105, 2) k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int t = threadIdx.x + 5 * (threadIdx.y + 3 * threadIdx.z) + 105 * (blockIdx.x + 2 * blockIdx.z);
#CCC for
    for (int i = t; i < n; i += 420) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            out[i] = i * 3 + v + threadIdx.z * 1000 + threadIdx.y * 100 + blockIdx.z;
        }
    }
}
