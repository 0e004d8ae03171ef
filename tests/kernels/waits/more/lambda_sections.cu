// A function template that runs a lambda under a lock, with two different lambdas.
// HANGS: O3 G
// ENDS: 0 512 1024

template <typename Section>
__device__ void locked(int *lock, Section section)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    section();
    __threadfence();
    atomicExch(lock, 0);
}

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data;
    for (int i = 0; i < n; ++i) {
        locked(data, [=] { total[1] = total[1] + 1; });
        locked(data, [=] { total[2] = total[2] + 2; });
    }
}
