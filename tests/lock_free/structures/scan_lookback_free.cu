// Monotone union of intervals in a bitmap and a first-free scan; max-flow style residual push by CAS; Gauss-Seidel style relaxed max without barrier.
// assumed: residual
extern "C" __global__ void residual(int *cap, const int *rev, int *excess, const int *row, const int *dst, const int *height, int n) {
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)
        for (int e = row[v]; e < row[v + 1]; ++e) {
            if (height[v] != height[dst[e]] + 1) continue;
            int c = *(volatile int *)&cap[e];
            while (c > 0) {
                int x = *(volatile int *)&excess[v], d = min(c, x);
                if (d <= 0) break;
                if (atomicCAS(&excess[v], x, x - d) != x) continue;
                int seen = atomicCAS(&cap[e], c, c - d);
                if (seen == c) { atomicAdd(&cap[rev[e]], d); atomicAdd(&excess[dst[e]], d); break; }
                atomicAdd(&excess[v], d);
                c = seen;
            }
        }
}
// nothing: fill
extern "C" __global__ void fill(unsigned *bits, const int2 *ranges, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int b = ranges[i].x; b < ranges[i].y;) {
        int w = b >> 5, end = min(ranges[i].y, (w + 1) << 5);
        unsigned mask = 0xffffffffu << (b & 31);
        if (end & 31) mask &= (1u << (end & 31)) - 1;
        atomicOr(&bits[w], mask);
        b = end;
    }
}
