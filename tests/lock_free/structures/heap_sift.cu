// Sift up in a k-ary heap of 64-bit keys by pairwise CAS of the child (relaxed heap; no locks): while smaller than the parent, swap by atomicMin / atomicExch.
typedef unsigned long long u64;
#define ARITY 4
// assumed: push
extern "C" __global__ void push(u64 *heap, unsigned *size, unsigned limit, const u64 *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned at = atomicAdd(size, 1);
    if (at >= limit) return;
    u64 mine = in[i];
    atomicExch(&heap[at], mine);
    while (at > 0) {
        unsigned parent = (at - 1) / ARITY;
        u64 above = *(volatile u64 *)&heap[parent];
        if (above <= mine) break;
        if (atomicCAS(&heap[at], mine, above) != mine) break;      // somebody took it further
        u64 got = atomicMin(&heap[parent], mine);
        if (got != above) { atomicCAS(&heap[at], above, got); if (got <= mine) break; }
        at = parent;
    }
}
// nothing: sift_down
extern "C" __global__ void sift_down(u64 *heap, unsigned n, const unsigned *starts, int m) {   // disjoint subtrees
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    unsigned at = starts[i];
    u64 mine = heap[at];
    while (true) {
        unsigned best = at; u64 key = mine;
        for (unsigned c = at * ARITY + 1; c <= at * ARITY + ARITY && c < n; ++c)
            if (heap[c] < key) { key = heap[c]; best = c; }
        if (best == at) break;
        heap[at] = key;
        at = best;
    }
    heap[at] = mine;
}
