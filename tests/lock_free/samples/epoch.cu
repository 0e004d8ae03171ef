// epoch based reclamation (Fraser): pin, try to advance, limbo lists
//
// assumed: _Z3ebrPii
#define THREADS 1024
__device__ unsigned g_epoch;
__device__ unsigned g_local[THREADS];       // epoch << 1 | pinned
__device__ int g_limbo[3];
__device__ int g_next[1 << 20];
__device__ unsigned pin(int me) {
    unsigned e;
    do {
        e = *(volatile unsigned *)&g_epoch;
        *(volatile unsigned *)&g_local[me] = e << 1 | 1;
        __threadfence();
    } while (e != *(volatile unsigned *)&g_epoch);
    return e;
}
__device__ void retire(unsigned e, int node) {
    int *head = &g_limbo[e % 3];
    int old = *(volatile int *)head;
    for (;;) {
        g_next[node] = old;
        __threadfence();
        int seen = atomicCAS(head, old, node);
        if (seen == old) break;
        old = seen;
    }
}
__device__ int tryAdvance(unsigned e) {
    for (int i = 0; i < THREADS; i++) {
        unsigned l = *(volatile unsigned *)&g_local[i];
        if ((l & 1) && l >> 1 != e) return 0;
    }
    if (atomicCAS(&g_epoch, e, e + 1) != e) return 0;
    int n = 0;
    for (int node = atomicExch(&g_limbo[(e + 2) % 3], -1); node != -1; node = g_next[node]) n++;
    return n;
}
__global__ void ebr(int *freed, int rounds) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= THREADS) return;
    for (int r = 0; r < rounds; r++) {
        unsigned e = pin(me);
        retire(e, me * rounds + r);
        *(volatile unsigned *)&g_local[me] = 0;
        if ((r & 31) == 0) atomicAdd(freed, tryAdvance(e));
    }
}
