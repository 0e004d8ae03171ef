// A word that holds either a value or a mark that says it is taken: the value is swapped out while one works with it.
// HANGS: O3 G
// ENDS: 512

extern "C" __global__ void k(int *data, int n)
{
    for (int i = 0; i < n; ++i) {
        int value;
        while ((value = atomicExch(&data[0], -1)) == -1)
            ;
        atomicExch(&data[0], value + 1);
    }
}
