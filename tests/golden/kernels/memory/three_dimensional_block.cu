// A stencil in blocks of 5 by 3 by 4 threads, whose lanes lie in all three dimensions.
//
// RUN: ccc --block 60
// LAUNCH: stencil 2 5,3,4 i32:500 i32[600]=below:9:1 i32[500]=0
// LAUNCH: stencil 3 7,5,1 i32:500 i32[600]=below:9:1 i32[500]=0
// EXPECT: same-memory
extern "C" __global__ void stencil(int n, const int *__restrict__ k, int *__restrict__ out) {
    int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y * blockDim.z;
//#CCC for
    for (int i = blockIdx.x * size + t; i < n; i += gridDim.x * size) {
//#CCC if
        if (k[i] > 5) {
            int h = threadIdx.z * 100 + threadIdx.y * 10 + threadIdx.x;
            for (int j = 0; j < 9; ++j) h = h * 33 + k[i + j];
            out[i] = h;
        }
    }
}
