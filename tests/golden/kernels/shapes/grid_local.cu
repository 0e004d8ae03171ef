// A kernel with a local array that is uninitialised in part, a counter that starts anew in each block, and uniform values that differ from block to block.
//
// RUN: ccc --block 96
// LAUNCH: k 7 96 i32:650 i32[650]=below:4:1 i32[650]=0 i32[7]=iota
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, const int* __restrict__ perBlock) {
#CCC grid blocks(2)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count = perBlock[blockIdx.x];
    for (int j = 0; j < (i & 7); ++j) count = count * 3 + j;
    int v = kind[i];
#CCC if
    if (v == 1) {
        int s = count;
        for (int j = 0; j < (i & 15); ++j) s = s * 31 + perBlock[blockIdx.x];
        out[i] = s;
    }
#CCC if
    else if (v == 2) { out[i] = count * blockIdx.x; }
}
