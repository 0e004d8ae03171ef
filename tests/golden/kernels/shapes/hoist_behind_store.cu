// The path stores before it loads the same element with the thread's own index.
//
// RUN: ccc --block 96 --hoist-loads
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* a, int* out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if independent
        if (v == 1) {
            int x = a[i];
            a[i] = x * 3 + 1;
            int y = a[i];
            int s = x;
            for (int j = 0; j < (y & 3); ++j) s = s * 31 + y;
            out[i] = s;
        }
    }
}
