// Kernels whose blocks cannot do the work of others.
//
// RUN: ccc --block 64
// REFUSED: line 18: waits for other threads
// REFUSED: line 26: memory that the threads of a block have in common
// REFUSED: line 32: waits for other threads
// REFUSED: line 40: which may ask for its block
// PTXAS: sm_90

__device__ __noinline__ int where(int x) { return x * blockIdx.x; }

extern "C" __global__ void barrier(int *out) {
    extern __shared__ int cells[];
#CCC grid
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = out[i];
    out[i] = 0;
    __syncthreads();
    out[i ^ 1] = x;
}

extern "C" __global__ void shared(int *out) {
    __shared__ int mine[64];
#CCC grid
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    mine[threadIdx.x] = out[i];
    out[i] = mine[threadIdx.x / 2];
}

extern "C" __global__ void shuffle(int *out) {
#CCC grid
    out[threadIdx.x] = __shfl_xor_sync(~0u, out[threadIdx.x], 1);
}

extern "C" __global__ void call(int *out) {
#CCC grid
    int i = threadIdx.x;

    // The function is not inlined.
    out[i] = where(i);
}
