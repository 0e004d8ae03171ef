// CLOCK replacement: the hand moves by atomicAdd, reference bits are cleared, the first unreferenced unpinned frame is claimed; at most three turns.
struct Frame { unsigned state; unsigned page; };   // state: pins << 1 | referenced
__device__ int victim(Frame *frames, unsigned count, unsigned *hand, unsigned page) {
    for (unsigned steps = 0; steps < 3 * count; ++steps) {
        unsigned at = atomicAdd(hand, 1) % count;
        unsigned s = *(volatile unsigned *)&frames[at].state;
        if (s >> 1) continue;
        if (s & 1) { atomicCAS(&frames[at].state, s, s & ~1u); continue; }
        if (atomicCAS(&frames[at].state, 0u, 2u) == 0) {
            frames[at].page = page;
            __threadfence();
            atomicSub(&frames[at].state, 1u);   // unpinned, referenced
            return at;
        }
    }
    return -1;
}
__device__ bool pin(Frame *f) {
    unsigned s = *(volatile unsigned *)&f->state, seen;
    do {
        if (s >> 1 == 255) return false;
        seen = s;
        s = atomicCAS(&f->state, seen, (seen + 2) | 1);
    } while (s != seen);
    return true;
}
// nothing: k
extern "C" __global__ void k(Frame *frames, unsigned count, unsigned *hand, const unsigned *pages, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int f = victim(frames, count, hand, pages[i]);
    out[i] = f;
    if (f >= 0 && pin(&frames[f])) atomicSub(&frames[f].state, 2u);
}
