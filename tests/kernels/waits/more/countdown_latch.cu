// A latch that counts down from the number of threads; each thread counts and then waits for zero.
// ENDS: 64 64 64 64
extern "C" __global__ void k(int *data, int n) {
    __shared__ int latch, work;
    if (threadIdx.x == 0) { latch = blockDim.x; work = 0; }
    __syncthreads();
    atomicAdd(&work, 1);
    __threadfence_block();
    atomicSub(&latch, 1);
    for (;;) {
        if (*(volatile int *)&latch <= 0) break;
        __nanosleep(n);
    }
    data[blockIdx.x * 64 + threadIdx.x] = atomicAdd(&work, 0);
}
