// Probe distance is bounded by N over all rounds of displacement (probe counter `steps`); within a slot, a CAS fails
// only as another has changed the slot.

// nothing: rh
#define N 64
__device__ unsigned home(unsigned k) { return (k * 40503u >> 4) & (N - 1); }
extern "C" __global__ void rh(unsigned *tab, int *out)
{
    unsigned key = threadIdx.x + 1, s = home(key), dist = 0;
    int steps = 0;
    bool done = false;
    while (!done && steps < 4 * N) {
        unsigned cur = *(volatile unsigned *)&tab[s];
        if (cur == key) { done = true; continue; }
        if (cur == 0) {
            if (atomicCAS(&tab[s], 0u, key) == 0u) done = true;
            continue;                               // changed: look again at the same slot
        }
        unsigned cd = (s - home(cur)) & (N - 1);
        if (cd < dist) {
            if (atomicCAS(&tab[s], cur, key) != cur) continue;
            key = cur; dist = cd;
        }
        s = (s + 1) & (N - 1); ++dist; ++steps;
    }
    out[threadIdx.x] = done;
}
