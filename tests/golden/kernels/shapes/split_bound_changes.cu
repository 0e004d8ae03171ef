// An inner marked for whose bound is read anew in each round from memory that it writes.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:60:1 i32[250]=0 i32[250]=below:60:1
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, volatile int* bound) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        if (v & 1) {
#CCC for
            for (int j = 0; j < bound[i]; ++j) {
                atomicAdd(&out[i], v + j);
                if (j & 1) bound[i] = bound[i] - 1;
            }
        }
    }
}
