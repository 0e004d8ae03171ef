// HT: a chained hash table with a lock per bucket (Fung and others, "Hardware Transactional Memory for GPU
// Architectures", MICRO 2011). Every thread puts its entries in front of their chains.

__device__ __forceinline__ unsigned bucket_of(unsigned key, unsigned buckets)
{
    unsigned mixed = (key ^ key >> 15) * 0x9e3779b1u;
    return __umulhi(mixed ^ mixed >> 13, buckets);
}

// As one writes it for threads of a CPU: wait for the lock, link, let go. Lanes that want one bucket never get past the
// wait on a SIMT stack: who has the lock waits for them behind the loop.
extern "C" __global__ void ht(int entries, unsigned buckets, const unsigned *key, volatile int *head, int *next,
                              int *lock)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += gridDim.x * blockDim.x) {
        unsigned bucket = bucket_of(key[i], buckets);
        while (atomicCAS(&lock[bucket], 0, 1) != 0) {
        }
        __threadfence();
        next[i] = head[bucket];
        head[bucket] = i;
        __threadfence();
        atomicExch(&lock[bucket], 0);
    }
}

// By hand for a SIMT stack: the lock is tried, and given back within the same iteration.
extern "C" __global__ void ht_simt(int entries, unsigned buckets, const unsigned *key, volatile int *head, int *next,
                                   int *lock)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += gridDim.x * blockDim.x) {
        unsigned bucket = bucket_of(key[i], buckets);
        int waits = 1;
        while (waits) {
            if (atomicCAS(&lock[bucket], 0, 1) == 0) {
                __threadfence();
                next[i] = head[bucket];
                head[bucket] = i;
                __threadfence();
                atomicExch(&lock[bucket], 0);
                waits = 0;
            }
        }
    }
}
