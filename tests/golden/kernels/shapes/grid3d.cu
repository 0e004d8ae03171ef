// A grid of three dimensions, of which few blocks stay.
//
// RUN: ccc --block 96
// LAUNCH: k 3,4,5 16,2,3 i32:5760 i32[5760]=below:4:1 i32[5760]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
#CCC grid blocks(7)
    int b = blockIdx.x + 3 * (blockIdx.y + 4 * blockIdx.z);
    int i = b * 96 + threadIdx.x + 16 * (threadIdx.y + 2 * threadIdx.z);
    if (i < n) {
        int v = kind[i];
#CCC if
        if (v == 1) {
            int s = i;
            for (int j = 0; j < (i & 7); ++j) s = s * 31 + blockIdx.z * 100 + blockIdx.y;
            out[i] = s + gridDim.y;
        }
        out[i] += blockIdx.y * 3;
    }
}
