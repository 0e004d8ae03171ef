// BFS: claim by CAS on the level, push to the frontier by a warp aggregated counter.
// assumed: k
extern "C" __global__ void k(const int *row, const int *col, int *level, int depth, const int *frontier, int size, int *next, int *count, int limit) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
        int v = frontier[i];
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int u = col[e];
            if (*(volatile int *)&level[u] == -1 && atomicCAS(&level[u], -1, depth + 1) == -1) {
                unsigned active = __activemask();
                int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base = 0;
                if (lane == leader) base = atomicAdd(count, __popc(active));
                base = __shfl_sync(active, base, leader) + __popc(active & ((1u << lane) - 1));
                if (base < limit) next[base] = u;
            }
        }
    }
}
