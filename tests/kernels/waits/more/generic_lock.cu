// A lock that lies in shared memory for one block and in global memory for the other, behind one pointer.
// HANGS: O3 G
// ENDS: 0 64 64

extern "C" __global__ void k(int *data, int n)
{
    __shared__ int here[2];
    if (threadIdx.x < 2)
        here[threadIdx.x] = 0;
    __syncthreads();
    int *lock = blockIdx.x == 0 ? here : data;
    volatile int *total = lock + 1;
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(lock, 0);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        data[2] = here[1];
    (void)n;
}
