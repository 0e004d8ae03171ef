// SSSP relaxation by CAS: each failed CAS returns a smaller distance by another; leaves as soon as it is not better.

// nothing: relax
extern "C" __global__ void relax(int *dist, const int *w, int *changed)
{
    int u = threadIdx.x;
    if (u == 0) atomicMin(&dist[0], 0);
    for (int it = 0; it < 4; ++it)
        for (int e = 1; e < 4; ++e) {
            int v = (u * 3 + e) & 31;
            int nd = *(volatile int *)&dist[u] + (w[u] & 15) + e;
            int od = *(volatile int *)&dist[v];
            while (nd < od) {
                int s = atomicCAS(&dist[v], od, nd);
                if (s == od) { *changed = 1; break; }
                od = s;
            }
        }
}
