// A histogram in static shared memory that rare values alone go to, copied out behind a barrier.
//
// RUN: ccc --block 96
// LAUNCH: shared_histogram 2 96 i32:1000 i32[1000]=below:40:1 i32[64]=0
// LAUNCH: shared_histogram 1 33 i32:77 i32[1000]=below:40:2 i32[64]=0
// EXPECT: same-memory

extern "C" __global__ void shared_histogram(int n, const int *__restrict__ in, int *__restrict__ out) {
    __shared__ int bins[64];
    for (int k = threadIdx.x; k < 64; k += blockDim.x) bins[k] = 0;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (in[i] % 4 == 1) {
            int b = in[i];
            for (int k = 0; k < in[i]; ++k) b = b * 5 + 1 & 63;
            atomicAdd(&bins[b], 1);
        }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicAdd(&out[k], bins[k]);
}
