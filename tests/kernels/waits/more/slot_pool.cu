// A pool of four slots: each thread goes round the slots until it gets one, uses it and gives it back.
// HANGS: O3 G
// ENDS: 0 0 0 0 512

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        int slot = threadIdx.x & 3;
        while (atomicCAS(&data[slot], 0, 1) != 0)
            slot = (slot + 1) & 3;
        atomicAdd(&data[4], 1);
        atomicExch(&data[slot], 0);
    }
}
