// Places of which the order of iterations decides nothing, or that threads have in common, so that it decides no more than the order of threads does: sums by atomics, a flag
// that is always set to the same, and a ticket of the warp.
//
// RUN: ccc --block 64
// REPORT-NOT: assumes
// PTXAS: sm_90
// LAUNCH: summed 2 33 i32:1000 i32[1000]=rand:1 i32[66]=0 i32[66]=0
// LAUNCH: summed 1 64 i32:5 i32[5]=0 i32[64]=0 i32[64]=0
// LAUNCH: tickets 2 33 i32:1000 i32[1000]=rand:1 i32[1000]=0
// LAUNCH: tickets 3 64 i32:3000 i32[3000]=rand:2 i32[3000]=0
// EXPECT: same-memory
extern "C" __global__ void summed(int n, const int *__restrict__ key, int *__restrict__ sum, int *__restrict__ seen) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
//#CCC for
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
//#CCC if
        if (k % 3 == 0) {
            int h = k;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            atomicAdd(&sum[t], h);
            atomicExch(&seen[t], 1);
        }
    }
}

extern "C" __global__ void tickets(int n, const int *__restrict__ key, int *__restrict__ out) {
    __shared__ int taken[2];
    if (threadIdx.x < 2) taken[threadIdx.x] = 0;
    __syncthreads();
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = key[i];
//#CCC if
        if (k % 3 == 0) {
            int h = k;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            out[i] = atomicAdd(&taken[threadIdx.x / 32], 1) < 0 ? 0 : h;
        }
    }
}
