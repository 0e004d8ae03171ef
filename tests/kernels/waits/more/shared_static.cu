// A lock in static shared memory; each block adds up in shared memory and then adds its sum to the result.
// HANGS: O3 G
// ENDS: 512

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int lock;
    __shared__ volatile int total;
    if (threadIdx.x == 0) {
        lock = 0;
        total = 0;
    }
    __syncthreads();
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        total = total + 1;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&data[0], total);
}
