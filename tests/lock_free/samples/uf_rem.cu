// Rem's algorithm with splicing, as in ConnectIt (Dhulipala, Hong, Shun)
//
// assumed: _Z6cc_remPK4int2iPi
__device__ void unite(volatile int *parent, int u, int v) {
    int ru = u, rv = v;
    while (parent[ru] != parent[rv]) {
        if (parent[ru] < parent[rv]) { int t = ru; ru = rv; rv = t; }
        // parent[ru] >= parent[rv]
        int pu = parent[ru], pv = parent[rv];
        if (pu <= pv) continue;
        if (ru == pu) {
            if (atomicCAS((int *)&parent[ru], ru, pv) == ru) return;
        } else {
            atomicCAS((int *)&parent[ru], pu, pv);   // splice
            ru = pu;
        }
    }
}
__global__ void cc_rem(const int2 *edges, int m, int *parent) {
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x)
        unite(parent, edges[e].x, edges[e].y);
}
