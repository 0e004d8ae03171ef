// A queue lock with one word per thread: the word says that the lock is given on, and the taker clears it.
// HANGS: O3 G
// ENDS: 0 16

__device__ int grant[128];

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *total = data + 1;
    if (threadIdx.x % 16 < 2 && n == 4) {
        int before = atomicExch(&data[0], me + 1);
        if (before) {
            while (atomicCAS(&grant[before - 1], 1, 0) != 1)
                ;
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        if (atomicCAS(&data[0], me + 1, 0) != me + 1) {
            atomicExch(&grant[me], 1);
            while (atomicAdd(&grant[me], 0) != 0)
                ;
        }
    }
}
