// Counts of groups in static shared memory, with room left for the dynamic one of a launch.
//
// RUN: ccc --block 96 --shared 256
// LAUNCH: count 2 96 i32:1000 u32[1000]=rand:12 u32[64]=0
// EXPECT: same-memory
extern "C" __global__ void count(int n, const unsigned int *__restrict__ in, unsigned int *__restrict__ out) {
    __shared__ unsigned int groups[64];
    for (int k = threadIdx.x; k < 64; k += blockDim.x) groups[k] = k;
    __syncthreads();
    //#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned int x = in[i], g = x & 63;
        //#CCC if
        if (x >> 30 == 2) {
            for (int k = 0; k < 5; ++k) x = x * 9 + groups[0];
            if (g) atomicMax(&groups[g], x);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicMax(&out[k], groups[k]);
}
