// The path writes one member of a global structure by an index, what follows reads another member by another index.
//
// RUN: ccc --block 96
// LAUNCH: globals 2 96 i32:120 i32[250]=below:9:1 i32[250]=0
// EXPECT: same-memory
__device__ struct { int a[128]; int b[128]; } both;
extern "C" __global__ void globals(int n, const int *__restrict__ k, int *__restrict__ out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) both.a[i] = both.b[i] = i;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = k[i];
//#CCC if
        if (v > 5) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            both.b[i] = h;
        }
        out[i] = both.a[i] + (v & 1 ? both.b[i] : 0);
    }
}
