// The first thread makes a value, all others wait until it is there.
// HANGS: O3 G
// ENDS: 2 1234 157952

extern "C" __global__ void k(int *data, int n)
{
    volatile int *value = data + 1;
    if (atomicCAS(&data[0], 0, 1) == 0) {
        *value = 1230 + n;
        __threadfence();
        atomicExch(&data[0], 2);
    } else {
        while (atomicAdd(&data[0], 0) != 2)
            ;
        __threadfence();
    }
    atomicAdd(&data[2], *value);
}
