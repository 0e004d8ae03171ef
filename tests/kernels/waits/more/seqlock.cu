// A sequence lock: writers make the number odd while they write, readers try again until it is even and the same.
// HANGS: O3 G
// ENDS: 128 64 64 96 0

extern "C" __global__ void k(int *data, int n)
{
    volatile int *word = data;
    if (threadIdx.x % 4 == 0) {
        for (int i = 0; i < n / 2; ++i) {
            int number;
            do {
                number = atomicAdd(&data[0], 0);
            } while ((number & 1) || atomicCAS(&data[0], number, number + 1) != number);
            __threadfence();
            atomicAdd(&data[1], 1);
            atomicAdd(&data[2], 1);
            __threadfence();
            atomicAdd(&data[0], 1);
        }
    } else {
        int before, after, a, b;
        do {
            do {
                before = atomicAdd(&data[0], 0);
            } while (before & 1);
            __threadfence();
            a = atomicAdd(&data[1], 0);
            b = atomicAdd(&data[2], 0);
            __threadfence();
            after = atomicAdd(&data[0], 0);
        } while (before != after);
        if (a != b)
            atomicAdd(&data[4], 1);
        atomicAdd(&data[3], 1);
    }
}
