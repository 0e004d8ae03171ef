// Boruvka: lightest edge per component by CAS with a tie break on index; mutual pairs broken; pointer jumping to the root.
// nothing: lightest
extern "C" __global__ void lightest(const int *comp, const int2 *edges, const float *w, int *best, int m) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int cs[2] = {comp[edges[e].x], comp[edges[e].y]};
    if (cs[0] == cs[1]) return;
    for (int s = 0; s < 2; ++s) {
        int now = *(volatile int *)&best[cs[s]];
        while (now == -1 || w[e] < w[now] || (w[e] == w[now] && e < now)) {
            int seen = atomicCAS(&best[cs[s]], now, e);
            if (seen == now) break;
            now = seen;
        }
    }
}
// nothing: jump
extern "C" __global__ void jump(int *parent, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int p = parent[v], g;
    while (p != (g = parent[p])) p = g;
    parent[v] = p;
}
// nothing: shortcut
extern "C" __global__ void shortcut(int *parent, int n) {   // Shiloach-Vishkin compress
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    while (*(volatile int *)&parent[v] != *(volatile int *)&parent[*(volatile int *)&parent[v]])
        parent[v] = *(volatile int *)&parent[parent[v]];
}
