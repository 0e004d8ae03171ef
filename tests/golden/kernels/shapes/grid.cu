// One item per thread, a marked if and an early return; the item's index is computed in two widths.
//
// RUN: ccc --block 96
// LAUNCH: k 7 96 i32:650 i32[650]=below:4:1 i32[650]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC grid blocks(2)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = kind[i];
#CCC if
    if (v == 1) {
        int s = i;
        for (int j = 0; j < (i & 7); ++j) s = s * 31 + blockIdx.x;
        out[i] = s + gridDim.x;
        return;
    }
    out[i] = -v;
}
