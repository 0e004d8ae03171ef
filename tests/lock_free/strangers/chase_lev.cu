// Steal: empty leaves; CAS of top just read fails only as another thief or the owner has taken that element (ABORT,
// tries the next victim; at most 3 rounds of victims).

// nothing: work
extern "C" __global__ void work(int *top, int *bottom, int *task, int *sum)
{
    int me = threadIdx.x, acc = 0;
    for (;;) {                                          // owner
        int b = ((volatile int *)bottom)[me] - 1;
        ((volatile int *)bottom)[me] = b;
        __threadfence();
        int t = ((volatile int *)top)[me];
        if (t > b) { ((volatile int *)bottom)[me] = b + 1; break; }
        int x = task[me * 8 + (b & 7)];
        if (t == b) {
            if (atomicCAS(&top[me], t, t + 1) == t) acc += x;
            ((volatile int *)bottom)[me] = b + 1;
            break;
        }
        acc += x;
    }
    int v = me;
    for (int tries = 0; tries < 96; ++tries) {           // thief
        v = (v * 5 + 7) & 31;
        int t = ((volatile int *)top)[v];
        __threadfence();
        int b = ((volatile int *)bottom)[v];
        if (t >= b) continue;
        int x = ((volatile int *)task)[v * 8 + (t & 7)];
        if (atomicCAS(&top[v], t, t + 1) == t) acc += x;
    }
    sum[me] = acc;
}
