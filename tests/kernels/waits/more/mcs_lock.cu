// An MCS queue lock: each thread has a node with the next thread and a flag that its predecessor clears.
// HANGS: O3 G
// ENDS: 0 512

__device__ int next_of[128];
__device__ int waits[128];

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int *total = data + 1;
    volatile int *next = next_of;
    volatile int *flag = waits;
    for (int i = 0; i < n; ++i) {
        next[me] = 0;
        flag[me] = 1;
        __threadfence();
        int before = atomicExch(&data[0], me + 1);
        if (before != 0) {
            next[before - 1] = me + 1;
            while (flag[me] != 0) {
            }
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        if (next[me] == 0) {
            if (atomicCAS(&data[0], me + 1, 0) == me + 1)
                continue;
            while (next[me] == 0) {
            }
        }
        __threadfence();
        flag[next[me] - 1] = 0;
    }
}
