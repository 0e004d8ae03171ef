// An inner marked for that is empty, or runs once, or very long in a single lane.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:96 i32[96]=0 i32[96]=0
// LAUNCH: k 1 96 i32:96 i32[96]=iota i32[96]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        int e = v % 32 == 31 ? 3000 : v % 5 == 0 ? 1 : 0;
#CCC for
        for (int j = 0; j < e; ++j) atomicAdd(&out[(i + j) % n], j ^ i);
    }
}
