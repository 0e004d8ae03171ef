// Threads publish a request; who gets the lock does all requests that it finds, the others wait until theirs is done.
// ENDS: 0 512

__device__ int request[128];

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *total = data + 1;
    atomicExch(&request[me], n);
    while (atomicAdd(&request[me], 0) != 0) {
        if (atomicCAS(&data[0], 0, 1) == 0) {
            __threadfence();
            for (int t = 0; t < 128; ++t) {
                int amount = atomicExch(&request[t], 0);
                *total = *total + amount;
            }
            __threadfence();
            atomicExch(&data[0], 0);
        }
    }
}
