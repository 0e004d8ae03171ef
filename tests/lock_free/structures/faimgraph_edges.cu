// Dynamic graph (faimGraph / Hornet style): adjacency in linked pages of 15 edges; insert without duplicates: scan, claim the first free place, a full page gets a successor.
#define EDGES 15
struct Page { unsigned edges[EDGES]; unsigned next; };     // 0: free / none
// assumed: k
extern "C" __global__ void k(unsigned *adjacency, Page *pages, unsigned *used, unsigned limit, const uint2 *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned dst = in[i].y + 1;
    unsigned *link = &adjacency[in[i].x];
    out[i] = 0;
    while (true) {
        unsigned p = *(volatile unsigned *)link;
        if (p == 0) {
            unsigned fresh = atomicAdd(used, 1) + 1;
            if (fresh >= limit) { out[i] = -1; return; }
            p = atomicCAS(link, 0u, fresh);
            if (p == 0) p = fresh;
        }
        for (int e = 0; e < EDGES; ++e) {
            unsigned seen = *(volatile unsigned *)&pages[p].edges[e];
            if (seen == 0) seen = atomicCAS(&pages[p].edges[e], 0u, dst);
            if (seen == 0) { out[i] = 1; return; }
            if (seen == dst) return;
        }
        link = &pages[p].next;
    }
}
