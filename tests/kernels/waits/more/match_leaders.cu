// Lanes with the same key find each other by match, and the first of each such group takes the lock of the key.
// HANGS: O3 G
// ENDS: 8 16 24 32 40 16 16 16

extern "C" __global__ void k(int *data, int n)
{
    int key = threadIdx.x % 32 < 15 ? (threadIdx.x % 32 < 1 ? 0 : threadIdx.x % 32 < 3 ? 1 : threadIdx.x % 32 < 6 ? 2 : threadIdx.x % 32 < 10 ? 3 : 4) : 5 + threadIdx.x % 3;
    unsigned same = __match_any_sync(0xffffffffu, key);
    if ((threadIdx.x & 31) == __ffs(same) - 1) {
        while (atomicCAS(&data[64], 0, 1) != 0)
            ;
        __threadfence();
        volatile int *count = data;
        count[key] = count[key] + (key < 5 ? 2 * __popc(same) : n);
        __threadfence();
        atomicExch(&data[64], 0);
    }
}
