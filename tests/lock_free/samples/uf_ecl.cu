// ECL-CC: intermediate pointer jumping and hooking
//
// assumed: _Z7computeiPKiS0_Pi
static __device__ int representative(const int idx, volatile int *const __restrict__ nstat) {
    int curr = nstat[idx];
    if (curr != idx) {
        int next, prev = idx;
        while (curr > (next = nstat[curr])) {
            nstat[prev] = next;
            prev = curr;
            curr = next;
        }
    }
    return curr;
}
__global__ void compute(int nodes, const int *nidx, const int *nlist, int *nstat) {
    for (int v = threadIdx.x + blockIdx.x * blockDim.x; v < nodes; v += blockDim.x * gridDim.x) {
        if (v == nstat[v]) continue;
        int vstat = representative(v, nstat);
        for (int i = nidx[v]; i < nidx[v + 1]; i++) {
            const int nli = nlist[i];
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
