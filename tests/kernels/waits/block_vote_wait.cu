// Blocks wait for each other by __syncthreads_or in the loop: all threads of a block go round together.
// ENDS: 1 1 64 64
extern "C" __global__ void k(int *data, int n) {
    if (threadIdx.x == 10) atomicAdd(&data[blockIdx.x], n - 3);
    int seen = 0;
    while (!__syncthreads_or(seen)) {
        if (threadIdx.x == 40) seen = atomicAdd(&data[1 - blockIdx.x], 0);
    }
    atomicAdd(&data[2 + blockIdx.x], 1);
}
