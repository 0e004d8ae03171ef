// page cache: CLOCK second chance; word is (pins << 1 | referenced); gives up after two turns
//
// assumed: _Z6accessP5CachePKiPii
struct Cache { unsigned *state; int *page; int frames; unsigned hand; };
#define EVICT 0x80000000u
__device__ int victim(Cache *c) {
    for (int step = 0; step < 2 * c->frames; step++) {
        unsigned f = atomicInc(&c->hand, c->frames - 1);
        unsigned s = *(volatile unsigned *)&c->state[f];
        while (s < 2) {
            unsigned want = s & 1 ? 0u : EVICT;
            unsigned seen = atomicCAS(&c->state[f], s, want);
            if (seen == s) { if (want == EVICT) return f; break; }
            s = seen;
        }
    }
    return -1;
}
__device__ bool pinFrame(Cache *c, int f) {
    unsigned s = *(volatile unsigned *)&c->state[f], a;
    do {
        a = s;
        if (a & EVICT) return false;
        s = atomicCAS(&c->state[f], a, (a + 2) | 1);
    } while (s != a);
    return true;
}
__global__ void access(Cache *c, const int *req, int *hits, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int f = req[t] % c->frames;
    if (pinFrame(c, f)) {
        if (((volatile int *)c->page)[f] == req[t]) atomicAdd(hits, 1);
        atomicSub(&c->state[f], 2u);
    } else if ((f = victim(c)) >= 0) {
        c->page[f] = req[t];
        __threadfence();
        atomicExch(&c->state[f], 1u);
    }
}
