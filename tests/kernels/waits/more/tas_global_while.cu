// One test-and-set lock in global memory: each thread adds one to a shared total while it holds it.
// HANGS: O3 G
// ENDS: 0 512

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        while (atomicCAS(&data[0], 0, 1) != 0) {
        }
        __threadfence();
        volatile int *total = &data[1];
        *total = *total + 1;
        __threadfence();
        atomicExch(&data[0], 0);
    }
}
