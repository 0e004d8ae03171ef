// Herlihy's lock-free universal construction: consensus on each node's successor
//
// assumed: _Z7machineP4CellPKiPii
struct Cell { int op; int decided; int seq; };      // decided: index of the next node + 1, or 0
__device__ int g_lastSeen[4096];
__device__ int latest(Cell *cells, int me, int threads) {
    int best = 0, s = -1;
    for (int i = 0; i < threads; i++) {
        int h = *(volatile int *)&g_lastSeen[i];
        int q = *(volatile int *)&cells[h].seq;
        if (q > s) { s = q; best = h; }
    }
    return best;
}
__device__ int apply(Cell *cells, int me, int threads, int node) {
    int before = latest(cells, me, threads);
    while (true) {
        int old = atomicCAS(&cells[before].decided, 0, node + 1);
        int after = old == 0 ? node : old - 1;
        *(volatile int *)&cells[after].seq = *(volatile int *)&cells[before].seq + 1;
        __threadfence();
        *(volatile int *)&g_lastSeen[me] = after;
        if (after == node) break;
        before = after;
    }
    int state = 0;
    for (int c = 0; c != node; ) { c = *(volatile int *)&cells[c].decided - 1; state = state * 31 + cells[c].op; }
    return state;
}
__global__ void machine(Cell *cells, const int *ops, int *results, int threads) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= threads) return;
    int node = me + 1;
    cells[node].op = ops[me];
    __threadfence();
    results[me] = apply(cells, me, threads, node);
}
