// grid with a marked inner for whose length differs.
//
// RUN: ccc --block 96
// LAUNCH: k 7 96 i32:650 i32[650]=below:40:1 i32[650]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC grid blocks(2)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int v = kind[i];
        out[i] = v;
#CCC for
        for (int j = 0; j < v; ++j) { atomicAdd(&out[i], j * blockIdx.x); }
    }
}
