// Neighbour lists by exchange, random permutation by claims, claims of mates (matching) by paired CAS with release.
// nothing: link
extern "C" __global__ void link(int *head, int *next, const float3 *p, int n, int w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = atomicExch(&head[(int)p[i].x + w * ((int)p[i].y + w * (int)p[i].z)], i);
}
// assumed: dart
extern "C" __global__ void dart(unsigned *slots, unsigned mask, int n) {      // dart throwing into a table that is twice as large
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = i * 747796405u + 2891336453u;
    for (int darts = 0; darts < 1000; ++darts) {
        s = s * 1664525u + 1013904223u;
        if (atomicCAS(&slots[(s >> 7) & mask], 0xffffffffu, i) == 0xffffffffu) return;
    }
    for (unsigned at = 0; at <= mask; ++at)
        if (atomicCAS(&slots[at], 0xffffffffu, i) == 0xffffffffu) return;
}
// assumed: match
extern "C" __global__ void match(int *mate, const int *row, const int *col, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    for (int e = row[v]; e < row[v + 1]; ++e) {
        int u = col[e], lo = min(u, v), hi = max(u, v);
        if (lo == hi || *(volatile int *)&mate[lo] != -1) continue;
        if (atomicCAS(&mate[lo], -1, hi) != -1) continue;
        if (atomicCAS(&mate[hi], -1, lo) == -1) return;
        atomicExch(&mate[lo], -1);
    }
}
