// Each thread claims a slot of its own of a table by linear probing and keeps it: nobody has to wait.
// ENDS: 1 1 1 1 1 1 1 1

extern "C" __global__ void k(int *data, int n)
{
    int slot = (threadIdx.x * 7) & 127;
    while (atomicCAS(&data[slot], 0, 1) != 0)
        slot = (slot + 1) & 127;
    data[128 + slot] = n;
}
