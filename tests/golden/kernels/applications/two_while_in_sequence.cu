// Two searches one after the other for each query, each run step by step.
//
// RUN: ccc --block 96 --lower-occupancy
// LAUNCH: bounds 2 96 i32:1000 u32[1000]=iota u32[1000]=rand:16 u32[1000]=0 u32[1000]=0
// EXPECT: same-memory
extern "C" __global__ void bounds(int n, const unsigned int *__restrict__ sorted, const unsigned int *__restrict__ query, unsigned int *__restrict__ low, unsigned int *__restrict__ high) {
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int q = query[i] % 1024;
        {
            int a = 0, b = n;
            //#CCC while
            while (a < b) { int m = (a + b) / 2; if (sorted[m] < q) a = m + 1; else b = m; }
            low[i] = a;
        }
        {
            unsigned int steps = 0;
            //#CCC while
            for (unsigned int x = q; x != 1 && x; ++steps) x = x & 1 ? (x > 500 ? x / 2 : 3 * x + 1) : x / 2;
            high[i] = steps;
        }
    }
}
