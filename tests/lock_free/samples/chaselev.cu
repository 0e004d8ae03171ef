// Chase-Lev deques, one per thread; n victims tried, then it ends
//
// still found: _Z4treeP5DequeiPy
struct Deque { int top, bottom; int buf[256]; };
#define EMPTY -1
#define ABORT -2
__device__ void push(Deque *d, int x) {
    int b = *(volatile int *)&d->bottom;
    *(volatile int *)&d->buf[b & 255] = x;
    __threadfence();
    *(volatile int *)&d->bottom = b + 1;
}
__device__ int take(Deque *d) {
    int b = *(volatile int *)&d->bottom - 1;
    *(volatile int *)&d->bottom = b;
    __threadfence();
    int t = *(volatile int *)&d->top;
    if (t > b) { *(volatile int *)&d->bottom = t; return EMPTY; }
    int x = *(volatile int *)&d->buf[b & 255];
    if (t == b) {
        if (atomicCAS(&d->top, t, t + 1) != t) x = EMPTY;
        *(volatile int *)&d->bottom = t + 1;
    }
    return x;
}
__device__ int steal(Deque *d) {
    int t = *(volatile int *)&d->top;
    __threadfence();
    int b = *(volatile int *)&d->bottom;
    if (t >= b) return EMPTY;
    int x = *(volatile int *)&d->buf[t & 255];
    return atomicCAS(&d->top, t, t + 1) == t ? x : ABORT;
}
__global__ void tree(Deque *ds, int nthreads, unsigned long long *sum) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= nthreads) return;
    unsigned rnd = me * 747796405u + 1;
    while (true) {
        int x = take(&ds[me]);
        for (int k = 0; x == EMPTY && k < nthreads; k++) {
            rnd = rnd * 747796405u + 2891336453u;
            Deque *v = &ds[(rnd >> 8) % nthreads];
            do x = steal(v); while (x == ABORT);
        }
        if (x == EMPTY) break;
        atomicAdd(sum, (unsigned long long)x);
        if (x > 1) { push(&ds[me], x / 2); push(&ds[me], x / 2 - 1); }
    }
}
