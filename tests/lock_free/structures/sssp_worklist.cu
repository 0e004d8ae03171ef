// SSSP with a worklist in global memory: take by atomicAdd, relax by atomicMin, push what became shorter; ends when the list is empty for this lane (no waiting).
__device__ int take(int *head, const int *tail) {
    int h = *(volatile int *)head;
    while (h < *(const volatile int *)tail) {
        int seen = atomicCAS(head, h, h + 1);
        if (seen == h) return h;
        h = seen;
    }
    return -1;
}
// still found: k
extern "C" __global__ void k(const int *row, const int *col, const unsigned *w, unsigned *dist, int *list, int *head, int *tail, int limit) {
    int at;
    while ((at = take(head, tail)) >= 0) {
        int v = *(volatile int *)&list[at];
        if (v < 0) continue;                        // not written yet: the pusher's kernel comes again
        unsigned d = *(volatile unsigned *)&dist[v];
        for (int e = row[v]; e < row[v + 1]; ++e) {
            unsigned nd = d + w[e];
            if (nd < atomicMin(&dist[col[e]], nd)) {
                int p = *(volatile int *)tail;
                while (p < limit) {
                    int seen = atomicCAS(tail, p, p + 1);
                    if (seen == p) { *(volatile int *)&list[p] = col[e]; break; }
                    p = seen;
                }
            }
        }
    }
}
