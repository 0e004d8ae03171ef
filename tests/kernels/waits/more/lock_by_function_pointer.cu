// The lock is taken and given back through function pointers that the thread chooses.
// HANGS: O3 G
// NO POINTS: O3 G
// ENDS: 0 128

__device__ __noinline__ void take_cas(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    __threadfence();
}

__device__ __noinline__ void take_exch(int *lock)
{
    while (atomicExch(lock, 1) != 0)
        ;
    __threadfence();
}

__device__ __noinline__ void give(int *lock)
{
    __threadfence();
    atomicExch(lock, 0);
}

typedef void (*Action)(int *);
__device__ Action actions[3] = {take_cas, take_exch, give};

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    actions[(blockIdx.x + n) & 1](&data[0]);
    *total = *total + 1;
    actions[2](&data[0]);
}
