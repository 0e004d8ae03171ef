// A try-lock that gives up after one try and puts the work on a list by CAS push (never waits); who has the lock
// drains by exchange and releases by one store.

// nothing: tl
extern "C" __global__ void tl(int *lock, int *head, int *next, int *sum)
{
    int me = threadIdx.x + 1, h, o = *(volatile int *)head;
    do { h = o; ((volatile int *)next)[me] = h; __threadfence(); o = atomicCAS(head, h, me); } while (o != h);
    if (atomicCAS(lock, 0, 1) == 0) {
        int n = atomicExch(head, 0);
        while (n) { atomicAdd(sum, n); n = ((volatile int *)next)[n]; }
        __threadfence();
        atomicExch(lock, 0);
    }
    int n = atomicExch(head, 0);
    for (; n; n = ((volatile int *)next)[n]) atomicAdd(sum, n);
    ((volatile int *)next)[me] = 0;
}
