// The kernel has 46 KB of shared memory of its own, beside which a stack hardly fits.
//
// RUN: ccc --block 128
// LAUNCH: tight 2 128 i32:2000 i32[2000]=below:9:1 i32[2000]=0
// EXPECT: same-memory
extern "C" __global__ void tight(int n, const int *__restrict__ k, int *__restrict__ out) {
    __shared__ int table[11776];
    for (int j = threadIdx.x; j < 11776; j += blockDim.x) table[j] = j * 7;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i], w = v * v + i;
//#CCC if
        if (v > 5) {
            int h = w;
            for (int j = 0; j < 9; ++j) h = h * 33 + table[(unsigned)(h + v) % 11776u];
            out[i] = h;
        }
    }
}
