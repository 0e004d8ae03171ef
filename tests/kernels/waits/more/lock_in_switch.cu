// Locks inside a switch inside an if inside a loop; each case has a lock and a total of its own.
// HANGS: O3 G
// ENDS: 0 0 0 0 64 128 192 128

__device__ __forceinline__ void add(int *data, int which, int amount)
{
    while (atomicCAS(&data[which], 0, 1) != 0)
        ;
    __threadfence();
    volatile int *total = data + 4 + which;
    *total = *total + amount;
    __threadfence();
    atomicExch(&data[which], 0);
}

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        if ((threadIdx.x + i) % 2 == 0) {
            switch ((threadIdx.x / 2) & 3) {
            case 0: add(data, 0, 1); break;
            case 1: add(data, 1, 2); break;
            case 2: add(data, 2, 3); break;
            default: add(data, 3, 2); break;
            }
        }
    }
}
