// A grid of one block, and of fewer blocks than stay.
//
// RUN: ccc --block 96
// LAUNCH: k 1 96 i32:90 i32[90]=below:4:1 i32[90]=0
// LAUNCH: k 3 96 i32:250 i32[250]=below:4:1 i32[250]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC grid blocks(64)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#CCC if
    if (i < n && kind[i] == 1) {
        out[i] = i + gridDim.x * 1000;
    }
}
