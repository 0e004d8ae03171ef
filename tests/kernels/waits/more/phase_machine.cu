// The lock is taken, used and given back in different turns of one loop, chosen by a switch on the phase.
// ENDS: 0 128

extern "C" __global__ void k(int *data, int n)
{
    volatile int *total = data + 1;
    int phase = n - 4;
    while (phase < 3) {
        switch (phase) {
        case 0:
            if (atomicCAS(&data[0], 0, 1) == 0)
                phase = 1;
            break;
        case 1:
            __threadfence();
            *total = *total + 1;
            phase = 2;
            break;
        default:
            __threadfence();
            atomicExch(&data[0], 0);
            phase = 3;
            break;
        }
    }
}
