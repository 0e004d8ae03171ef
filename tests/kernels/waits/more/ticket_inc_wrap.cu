// A ticket lock whose counters wrap: atomicInc gives tickets, the holder stores who is next.
// HANGS: O3 G
// ENDS: 0 0 512

extern "C" __global__ void k(int *data, int n)
{
    unsigned *next = (unsigned *)&data[0];
    volatile unsigned *serving = (volatile unsigned *)&data[1];
    volatile int *total = data + 2;
    for (int i = 0; i < n; ++i) {
        unsigned mine = atomicInc(next, 255);
        while (*serving != mine) {
        }
        __threadfence();
        *total = *total + 1;
        __threadfence();
        *serving = (mine + 1) & 255;
    }
}
