// Run lengths of a sequence of bytes: each start of a run counts how far it goes.
//
// RUN: ccc --block 96
// LAUNCH: runs 2 96 i32:1000 u8[1000]=rand:10 i32[1000]=0
// EXPECT: same-memory
__device__ int value(const unsigned char *p, int i) { return p[i] < 128 ? 0 : 1 + (p[i] > 250); }
extern "C" __global__ void runs(int n, const unsigned char *__restrict__ in, int *__restrict__ length) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        //#CCC if
        if (i == 0 || value(in, i) != value(in, i - 1)) {
            int k = i;
            do ++k; while (k < n && value(in, k) == value(in, i));
            length[i] = k - i;
        }
    }
}
