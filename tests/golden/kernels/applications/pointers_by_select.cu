// Records that go to one of two outputs, by a pointer that is chosen before the branch.
//
// RUN: ccc --block 96
// LAUNCH: route 2 96 i32:1000 u32[1000]=rand:13 u32[1000]=0 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void route(int n, const unsigned int *in, unsigned int *even, unsigned int *odd) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i];
        unsigned int *to = (x & 1) ? odd : even;
        //#CCC if independent
        if (x % 7 < 2) {
            for (int k = 0; k < 5; ++k) x = x * 69069u + 1;
            to[i] = x;
        }
        to[i] += i;
    }
}
