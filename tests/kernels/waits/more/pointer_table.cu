// Pointers to the locks lie in a table in shared memory that the block fills first.
// HANGS: O3 G
// ENDS: 0 0 0 0 128 128 128 128

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int *locks[4];
    if (threadIdx.x < 4)
        locks[threadIdx.x] = &data[(threadIdx.x + 1) & 3];
    __syncthreads();
    for (int i = 0; i < n; ++i) {
        int *lock = locks[(threadIdx.x + i) & 3];
        while (atomicExch(lock, 1) != 0)
            ;
        __threadfence();
        volatile int *total = lock + 4;
        *total = *total + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
