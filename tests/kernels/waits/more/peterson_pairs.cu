// Peterson's lock for two neighbours, by loads and stores alone.
// HANGS: O3 G
// ENDS: 8 8 8 8 8 8 8 8

__device__ int wants[128];
__device__ int turn[64];

extern "C" __global__ void k(int *data, int n)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, pair = me >> 1, other = me ^ 1;
    volatile int *want = wants;
    volatile int *last = turn;
    volatile int *total = data;
    for (int i = 0; i < n; ++i) {
        want[me] = 1;
        __threadfence();
        last[pair] = me;
        __threadfence();
        while (want[other] == 1 && last[pair] == me)
            ;
        __threadfence();
        total[pair] = total[pair] + 1;
        __threadfence();
        want[me] = 0;
        __threadfence();
    }
}
