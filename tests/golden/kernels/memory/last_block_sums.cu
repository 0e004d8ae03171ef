// Partial results are written in the path; the last block, found by a counter behind a fence after the loop, adds them up.
//
// RUN: ccc --block 96
// LAUNCH: lastblock 3 96 i32:250 i32[250]=below:4:1 i32[250]=0 i32[1]=0 i32[1]=0
// EXPECT: same-memory
extern "C" __global__ void lastblock(int n, const int *__restrict__ k, volatile int *part, int *count, int *total) {
    __shared__ bool last;
//#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
//#CCC if
        if (k[i] == 3) {
            int h = i;
            for (int j = 0; j < 9; ++j) h = h * 33 + (h >> 5);
            part[i] = h & 255;
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        int s = 0;
        for (int i = 0; i < n; ++i) s += part[i];
        *total = s;
    }
}
