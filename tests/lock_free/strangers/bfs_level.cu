// One block, levels with barriers that all threads meet; claims by one CAS per edge; each level has a finite frontier
// and vertices are claimed once.

// nothing: bfs
extern "C" __global__ void bfs(int *level, int *queue, int *dummy)
{
    __shared__ int cnt[2];
    int cur = 0;
    if (threadIdx.x == 0) { cnt[0] = 1; cnt[1] = 0; queue[0] = 0; level[0] = 0; }
    __syncthreads();
    for (int d = 0; cnt[cur]; ++d) {
        for (int i = threadIdx.x; i < cnt[cur]; i += blockDim.x) {
            int v = queue[cur * 64 + i];
            for (int e = 0; e < 3; ++e) {
                int w = (v * (e + 2) + e + 1) & 63;
                if (atomicCAS(&level[w], -1, d + 1) == -1) queue[(cur ^ 1) * 64 + atomicAdd(&cnt[cur ^ 1], 1)] = w;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) cnt[cur] = 0;
        cur ^= 1;
        __syncthreads();
    }
}
