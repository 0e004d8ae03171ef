// Chase-Lev deques, one per block, thieves retry on a lost race (steal loop of libcds / Cederman-Tsigas on GPU).
struct Deque { int top, bottom; int *ring; int mask; };
#define EMPTY -1
#define ABORT -2
__device__ int take(Deque *d) {
    int b = d->bottom - 1;
    *(volatile int *)&d->bottom = b;
    __threadfence();
    int t = *(volatile int *)&d->top;
    if (t > b) { *(volatile int *)&d->bottom = b + 1; return EMPTY; }
    int x = d->ring[b & d->mask];
    if (t == b) {
        if (atomicCAS(&d->top, t, t + 1) != t) x = EMPTY;
        *(volatile int *)&d->bottom = b + 1;
    }
    return x;
}
__device__ int steal(Deque *d) {
    int t = *(volatile int *)&d->top;
    __threadfence();
    int b = *(volatile int *)&d->bottom;
    if (t >= b) return EMPTY;
    int x = *(volatile int *)&d->ring[t & d->mask];
    return atomicCAS(&d->top, t, t + 1) == t ? x : ABORT;
}
// assumed: k
extern "C" __global__ void k(Deque *deques, int *out) {
    if (threadIdx.x) return;
    Deque *mine = deques + blockIdx.x;
    int n = 0, x;
    while ((x = take(mine)) != EMPTY) n += x;
    for (unsigned v = 1; v < gridDim.x; ++v) {
        Deque *victim = deques + (blockIdx.x + v) % gridDim.x;
        do { x = steal(victim); } while (x == ABORT);
        if (x != EMPTY) n += x;
    }
    out[blockIdx.x] = n;
}
