// A switch whose labels stand inside a loop, with a lock taken in the turns of the loop.
// HANGS: O3 G
// ENDS: 0 320

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    int left = (int)(threadIdx.x & 3) + 1;
    int turns = 0;
    switch (left & 1) {
        do {
            ++turns;
    case 0:
            while (atomicCAS(&data[0], 0, 1) != 0)
                ;
            __threadfence();
            *total = *total + 1;
            __threadfence();
            atomicExch(&data[0], 0);
            --left;
    case 1:
            if (turns > 1000)
                left = n - 4;
            ++turns;
        } while (left > 0);
    }
}
