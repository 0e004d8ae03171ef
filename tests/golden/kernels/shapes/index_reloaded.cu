// Path and rest load the index of the element anew from memory.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:250 i32[250]=below:4:1 i32[250]=iota i32[250]=iota i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, volatile int* index, int* __restrict__ a, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
#CCC if
        if (v & 1) {
            a[index[i]] = v * i;
        }
        out[i] = a[index[i]] + 1;
    }
}
