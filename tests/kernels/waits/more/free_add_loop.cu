// Additions by compare and swap of what was just read: nobody waits for anybody.
// ENDS: 1408 512

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        int seen = atomicAdd(&data[0], 0), before;
        do {
            before = seen;
            seen = atomicCAS(&data[0], before, before + (i & 1 ? 3 : 2) + (i == 3 ? 1 : 0));
        } while (seen != before);
        atomicAdd(&data[1], 1);
    }
}
