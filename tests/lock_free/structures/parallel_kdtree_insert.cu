// Barnes-Hut octree build without locks: child slot 0 empty, leaf by CAS, split makes a cell and swings it in (here 2D quadtree, bounded depth).
// assumed: k
extern "C" __global__ void k(int *child, int *used, int limit, const float2 *pos, int n, int *fail) {
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < n; b += gridDim.x * blockDim.x) {
        float x = pos[b].x, y = pos[b].y, cx = 0.5f, cy = 0.5f, r = 0.25f;
        int cell = 0, depth = 0;
        while (true) {
            int q = (x >= cx) | (y >= cy) << 1;
            int *slot = &child[cell * 4 + q], c = *(volatile int *)slot;
            if (c == 0) {                                          // -1 - body: leaf
                if (atomicCAS(slot, 0, -1 - b) == 0) break;
                continue;
            }
            if (c > 0) {
                cx += x >= cx ? r : -r; cy += y >= cy ? r : -r; r *= 0.5f;
                cell = c; ++depth;
                continue;
            }
            if (depth > 24) { atomicAdd(fail, 1); break; }
            int other = -1 - c, made = atomicAdd(used, 1) + 1;
            if (made >= limit) { atomicAdd(fail, 1); break; }
            float ncx = cx + (x >= cx ? r : -r), ncy = cy + (y >= cy ? r : -r);
            child[made * 4 + ((pos[other].x >= ncx) | (pos[other].y >= ncy) << 1)] = c;
            __threadfence();
            atomicCAS(slot, c, made);
        }
    }
}
