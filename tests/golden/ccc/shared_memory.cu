// The kernel has shared memory of its own, of fixed size and of the launch's; the stack lies beside it and destroys nothing.
//
// RUN: ccc --block 64
// REPORT: kernel tile: shared 768 bytes
// PTXAS: sm_90
// LAUNCH: tile 2 64 shared=512 i32:640 i32[640]=rand:1 i32[640]=0
// LAUNCH: tile 1 33 shared=264 i32:330 i32[330]=rand:2 i32[330]=0
// EXPECT: same-memory, efficiency rises

extern "C" __global__ void tile(int n, const int *key, int *out) {
    __shared__ int tile[128];
    extern __shared__ int more[];
    for (int k = threadIdx.x; k < 128; k += blockDim.x) tile[k] = k * k;
    more[threadIdx.x] = threadIdx.x * 7;
    more[threadIdx.x + blockDim.x] = 0;
    __syncthreads();
#CCC for
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
#CCC if
        if ((key[i] & 7) == 0) {
            int x = 0;
            for (int k = 0; k < 20; ++k) x += tile[(i * k) & 127] + more[k % 32];
            atomicAdd(&more[blockDim.x + i % blockDim.x], 1);
            out[i] = x;
        }
    }
    __syncthreads();
    out[(blockIdx.x * blockDim.x + threadIdx.x) * 5 % n] ^= tile[threadIdx.x] + more[threadIdx.x] + more[threadIdx.x + blockDim.x];
}
