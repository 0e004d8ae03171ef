// Treiber stack with ABA tag in the upper half: CAS of the head just read; fails only when another has pushed or
// popped.

// nothing: stack
extern "C" __global__ void stack(unsigned long long *head, unsigned *next, unsigned *out)
{
    unsigned id = threadIdx.x + 1;
    unsigned long long old = *(volatile unsigned long long *)head, now;
    do {
        next[id] = (unsigned)old;
        __threadfence();
        now = old;
        old = atomicCAS(head, now, (((now >> 32) + 1) << 32) | id);
    } while (old != now);
    old = *(volatile unsigned long long *)head;
    unsigned got = 0;
    while ((got = (unsigned)old) != 0) {
        unsigned nx = *(volatile unsigned *)&next[got];
        now = atomicCAS(head, old, (((old >> 32) + 1) << 32) | nx);
        if (now == old) break;
        old = now;
    }
    out[threadIdx.x] = got;
}
