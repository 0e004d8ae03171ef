// faimGraph: adjacency in chained pages, duplicates refused, slots claimed in order
//
// assumed: _Z11insertBatchP5BlockiPK4int2iPi
struct Block { int n; int dst[14]; int next; };
__device__ int g_freeBlock;
__device__ bool insertEdge(Block *blocks, int cap, int u, int v) {
    int b = u;
    while (true) {
        Block *p = blocks + b;
        for (int i = 0; i < 14; i++) {
            int cur = *(volatile int *)&p->dst[i];
            while (cur == -1) {
                cur = atomicCAS(&p->dst[i], -1, v);
                if (cur == -1) { atomicAdd(&blocks[u].n, 1); return true; }
            }
            if (cur == v) return false;
        }
        int nx = *(volatile int *)&p->next;
        if (nx < 0) {
            int f = atomicAdd(&g_freeBlock, 1);
            if (f >= cap) return false;
            for (int i = 0; i < 14; i++) blocks[f].dst[i] = -1;
            blocks[f].next = -1;
            __threadfence();
            int was = atomicCAS(&p->next, -1, f);
            nx = was < 0 ? f : was;
        }
        b = nx;
    }
}
__global__ void insertBatch(Block *blocks, int cap, const int2 *e, int m, int *added) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m && insertEdge(blocks, cap, e[t].x, e[t].y)) atomicAdd(added, 1);
}
