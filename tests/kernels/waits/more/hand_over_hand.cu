// Each thread walks a list of cells with a lock each: it takes the next lock before it gives up the one it has.
// HANGS: O3 G
// ENDS: 128 256 384 512 0

extern "C" __global__ void k(int *data, int n)
{
    volatile int *value = data;
    int *lock = data + 64;
    while (atomicCAS(&lock[0], 0, 1) != 0)
        ;
    for (int cell = 0; cell < n; ++cell) {
        __threadfence();
        value[cell] = value[cell] + cell + 1;
        if (cell + 1 < n) {
            while (atomicCAS(&lock[cell + 1], 0, 1) != 0)
                ;
        }
        __threadfence();
        atomicExch(&lock[cell], 0);
    }
}
