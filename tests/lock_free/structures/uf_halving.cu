// ECL-CC: find with intermediate pointer jumping (halving), hooking by CAS.
__device__ int representative(int v, int *nstat) {
    int curr = *(volatile int *)&nstat[v];
    if (curr != v) {
        int prev = v, next;
        while (curr > (next = *(volatile int *)&nstat[curr])) {
            nstat[prev] = next;
            prev = curr;
            curr = next;
        }
    }
    return curr;
}
// assumed: compute
extern "C" __global__ void compute(int nodes, const int *nidx, const int *nlist, int *nstat) {
    int from = threadIdx.x + blockIdx.x * blockDim.x, incr = gridDim.x * blockDim.x;
    for (int v = from; v < nodes; v += incr) {
        int vstat = representative(v, nstat);
        for (int i = nidx[v]; i < nidx[v + 1]; i++) {
            int nli = nlist[i];
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
}
