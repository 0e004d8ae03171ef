// Each thread of the original has a global scratch word of its own, indexed by the block.
//
// RUN: ccc --block 96
// LAUNCH: k 7 96 i32:650 i32[650]=below:4:1 i32[650]=0 i32[672]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, volatile int* __restrict__ scratch) {
#CCC grid blocks(2)
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[t] = t * 7;
    if (t >= n) return;
#CCC if
    if (kind[t] == 1) {
        scratch[t] += 3;
        out[t] = scratch[t] + 1;
    }
    scratch[t] += 11;
}
