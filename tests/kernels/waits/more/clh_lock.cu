// A CLH queue lock: each thread spins on the node of the one before it and takes that node over afterwards.
// HANGS: O3 G
// ENDS: 512

__device__ int node_busy[129];
__device__ int tail = 128;

extern "C" __global__ void k(int *data, int n)
{
    int mine = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *busy = node_busy;
    volatile int *total = data;
    for (int i = 0; i < n; ++i) {
        busy[mine] = 1;
        __threadfence();
        int before = atomicExch(&tail, mine);
        do {
        } while (busy[before]);
        __threadfence();
        *total = *total + 1;
        __threadfence();
        busy[mine] = 0;
        mine = before;
    }
}
