// Sums of a warp by shuffles behind the marked loop, of an accumulator that the branch folds into.
//
// RUN: ccc --block 64
// LAUNCH: sums 2 64 i32:1000 u32[1000]=rand:17 u32[4]=0
// LAUNCH: sums 1 32 i32:77 u32[1000]=rand:17 u32[4]=0
// LAUNCH: sums 1 64 i32:5 u32[1000]=rand:17 u32[4]=0
// EXPECT: same-memory
extern "C" __global__ void sums(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    unsigned int sum = threadIdx.x;
    //#CCC for reduce(+:sum)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i];
        //#CCC if
        if (x % 3 == 0) {
            for (int k = 0; k < 3; ++k) x = x * x + k;
            sum += x;
        }
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if ((threadIdx.x & 31) == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}
