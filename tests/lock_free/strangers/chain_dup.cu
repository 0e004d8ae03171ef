// After a failed CAS only the nodes pushed since are walked (links end at the old head); the CAS has what was last
// read of the head and fails only by another's push.

// nothing: chain
extern "C" __global__ void chain(int *bucket, int *next, int *out)
{
    int t = threadIdx.x, key = t * 7 % 40;
    int *b = &bucket[key & 7];
    int stop = -1, first = *(volatile int *)b;
    bool dup = false;
    while (true) {
        for (int n = first; n != stop; n = ((volatile int *)next)[n])
            if (n * 7 % 40 == key) { dup = true; break; }
        if (dup) break;
        next[t] = first;
        __threadfence();
        int was = atomicCAS(b, first, t);
        if (was == first) break;
        stop = first;
        first = was;
    }
    out[t] = dup;
}
