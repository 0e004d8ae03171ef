// A tile in shared memory is loaded anew in each round of an outer loop between barriers; the marked loop lies within the round.
//
// RUN: ccc --block 96
// LAUNCH: rounds 2 96 i32:960 i32[960]=below:16:1 i32[960]=0
// EXPECT: same-memory
extern "C" __global__ void rounds(int n, const int *pick, int *out) {
    __shared__ int tile[256];
    for (int base = blockIdx.x * 256; base < n; base += gridDim.x * 256) {
        for (int j = threadIdx.x; j < 256; j += blockDim.x) tile[j] = base + j < n ? pick[base + j] : 0;
        __syncthreads();
//#CCC for
        for (int j = threadIdx.x; j < 256; j += blockDim.x) {
            int p = tile[j];
//#CCC if
            if (p > 9) {
                int h = p;
                for (int q = 0; q < 9; ++q) h = h * 33 + tile[(j + q) & 255];
                out[base + j] = h;
            }
        }
        __syncthreads();
    }
}
