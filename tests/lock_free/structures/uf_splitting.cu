// Jayanti & Tarjan: find with two-try splitting; union by index (random order of ids).
__device__ unsigned find(unsigned *parent, unsigned x) {
    while (true) {
        unsigned p = __ldcg(&parent[x]);
        unsigned g = __ldcg(&parent[p]);
        if (p == g) return p;
        atomicCAS(&parent[x], p, g);
        x = p;
    }
}
__device__ void unite(unsigned *parent, unsigned a, unsigned b) {
    while (true) {
        a = find(parent, a);
        b = find(parent, b);
        if (a == b) return;
        if (a < b) { unsigned t = a; a = b; b = t; }
        if (atomicCAS(&parent[a], a, b) == a) return;
    }
}
// assumed: k
extern "C" __global__ void k(unsigned *parent, const uint2 *edges, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) unite(parent, edges[i].x, edges[i].y);
}
