// Neighbours pass a baton: each thread waits until the word holds its number and then stores the next one.
// HANGS: O3 G
// ENDS: 64 64

extern "C" __global__ void k(int *data, int n)
{
    int me = threadIdx.x;
    if (me >= 16 || blockIdx.x != 0)
        return;
    volatile int *total = data + 1;
    for (int i = 0; i < n; ++i) {
        int turn = i * 16 + me;
        while (atomicCAS(&data[0], turn, turn) != turn)
            ;
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicAdd(&data[0], 1);
    }
}
