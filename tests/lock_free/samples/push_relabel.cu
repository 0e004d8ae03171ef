// He & Hong: lock-free multithreaded push-relabel, some cycles per launch
//
// nothing: _Z12push_relabeliiiPKiS0_S0_PiS1_S1_i
__global__ void push_relabel(int n, int src, int sink, const int *row, const int *col, const int *rev, int *res, int *excess, int *height, int cycles) {
    int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= n || u == src || u == sink) return;
    while (cycles-- > 0) {
        int e1 = *(volatile int *)&excess[u];
        if (e1 <= 0 || *(volatile int *)&height[u] >= n) continue;
        int best = -1, hmin = 0x7fffffff;
        for (int e = row[u]; e < row[u + 1]; e++)
            if (*(volatile int *)&res[e] > 0) {
                int h = *(volatile int *)&height[col[e]];
                if (h < hmin) { hmin = h; best = e; }
            }
        if (best < 0) break;
        if (*(volatile int *)&height[u] > hmin) {
            int d = min(e1, *(volatile int *)&res[best]);
            atomicAdd(&res[rev[best]], d);
            atomicSub(&res[best], d);
            atomicAdd(&excess[col[best]], d);
            atomicSub(&excess[u], d);
        } else *(volatile int *)&height[u] = hmin + 1;
    }
}
