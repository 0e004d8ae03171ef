// As `reduce_widened` without accumulators: a counter of the rest is divided behind the loop.
//
// RUN: ccc --block 96
// LAUNCH: k 2 96 i32:450 i32[450]=below:40:1 i32[450]=0 i64[192]=0
// EXPECT: same-memory
extern "C" __global__ void k(int n, const int* __restrict__ kind, int* __restrict__ out, long long* __restrict__ counts) {
    unsigned s = 0;
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = kind[i];
        s += v;
#CCC if
        if (v & 1) { out[i] = v * i; }
    }
    counts[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
