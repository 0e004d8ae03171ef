// Everything that the path needs is equal in all lanes of a warp, but changes from iteration to iteration.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:40 i32[7680]=below:4:1 i32[7680]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int f = 1;
#CCC for
    for (int i = 0; i < n; ++i) {
        int v = kind[i * 192 + t];
#CCC if
        if (v == 1) {
            int s = f;
            for (int j = 0; j < (i & 3) + 1; ++j) s = s * 31 + i;
            out[i * 192 + t] = s;
        }
        f = f * 5 + i;
    }
}
