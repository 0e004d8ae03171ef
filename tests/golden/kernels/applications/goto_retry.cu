// Rejection sampling with a jump back, in a marked branch.
//
// RUN: ccc --block 96
// LAUNCH: sample 2 96 i32:1000 u32[1000]=rand:22 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void sample(int n, const unsigned int *__restrict__ seed, unsigned int *__restrict__ out) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int s = seed[i];
        //#CCC if
        if (s & 0x80000000u) {
        again:
            s = s * 1664525u + 1013904223u;
            if ((s >> 24) > 40) goto again;
            out[i] = s;
        }
    }
}
