// Sharded counter with a bound: try the own shard, then others; and a read that sums until the version agrees twice.
#define SHARDS 32
__device__ bool decrement(int *shards, int me) {
    for (int s = 0; s < SHARDS; ++s) {
        int *p = &shards[(me + s) % SHARDS];
        int v = *(volatile int *)p;
        while (v > 0) {
            int seen = atomicCAS(p, v, v - 1);
            if (seen == v) return true;
            v = seen;
        }
    }
    return false;
}
__device__ int read(int *shards, unsigned *version) {
    unsigned before, after = atomicAdd(version, 0);
    int sum;
    do {
        before = after;
        sum = 0;
        for (int s = 0; s < SHARDS; ++s) sum += *(volatile int *)&shards[s];
        __threadfence();
        after = atomicAdd(version, 0);
    } while (before != after);
    return sum;
}
// nothing: k
extern "C" __global__ void k(int *shards, unsigned *version, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (decrement(shards, i)) atomicAdd(version, 1);
    out[i] = read(shards, version);
}
