// A histogram with a lock for each of eight buckets.
// HANGS: O3 G
// ENDS: 64 64 64 64 64 64 64 64

extern "C" __global__ void k(int *data, int n)
{
    int *lock = data + 64;
    volatile int *count = data;
    for (int i = 0; i < n; ++i) {
        int bucket = (threadIdx.x * 5 + i) & 7;
        while (atomicExch(&lock[bucket], 1))
            ;
        __threadfence();
        count[bucket] = count[bucket] + 1;
        __threadfence();
        atomicExch(&lock[bucket], 0);
    }
}
