// Histogram of a block in shared memory, with barriers before and after the marked loop.
//
// RUN: ccc --block 96
// LAUNCH: histogram 2 96 i32:1000 u32[1000]=rand:3 u32[64]=0
// EXPECT: same-memory
extern "C" __global__ void histogram(int n, const unsigned int *in, unsigned int *out) {
    __shared__ unsigned int bins[64];
    for (int k = threadIdx.x; k < 64; k += blockDim.x) bins[k] = 0;
    __syncthreads();
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int v = in[i];
        //#CCC if
        if (v & 1) {
            unsigned int h = v;
            for (int k = 0; k < 4; ++k) h = (h ^ (h >> 13)) * 0x5bd1e995u;
            atomicAdd(&bins[h & 63], 1u);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicAdd(&out[k], bins[k]);
}
