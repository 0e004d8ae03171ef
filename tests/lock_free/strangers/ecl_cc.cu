// ECL-CC: representative climbs to smaller numbers (ends) with intermediate pointer jumping; hooking repeats with what
// CAS returned, which is smaller each time.

// nothing: compute
__device__ int representative(const int idx, int *const nstat)
{
    int curr = nstat[idx];
    if (curr != idx) {
        int next, prev = idx;
        while (curr > (next = ((volatile int *)nstat)[curr])) {
            nstat[prev] = next;
            prev = curr;
            curr = next;
        }
    }
    return curr;
}
extern "C" __global__ void compute(const int *nidx, const int *nlist, int *nstat)
{
    int v = threadIdx.x;
    int vstat = representative(v, nstat);
    for (int i = nidx[v]; i < nidx[v + 1]; i++) {
        int nli = (nlist[i] * 7 + 1) & 31;
        if (v > nli) {
            int ostat = representative(nli, nstat);
            bool repeat;
            do {
                repeat = false;
                if (vstat != ostat) {
                    int ret;
                    if (vstat < ostat) {
                        if ((ret = atomicCAS(&nstat[ostat], ostat, vstat)) != ostat) { ostat = ret; repeat = true; }
                    } else {
                        if ((ret = atomicCAS(&nstat[vstat], vstat, ostat)) != vstat) { vstat = ret; repeat = true; }
                    }
                }
            } while (repeat);
        }
    }
}
