// Bellman-Ford relaxations, float distances with a CAS loop, predecessor packed
//
// assumed: _Z4ssspPKiS0_PKfPyS0_iPiS4_Pj
__device__ bool relax(unsigned long long *dp, int v, float d, int from) {
    unsigned long long old = *(volatile unsigned long long *)&dp[v];
    unsigned long long mine = (unsigned long long)__float_as_uint(d) << 32 | (unsigned)from;
    while (__uint_as_float((unsigned)(old >> 32)) > d) {
        unsigned long long got = atomicCAS(&dp[v], old, mine);
        if (got == old) return true;
        old = got;
    }
    return false;
}
__global__ void sssp(const int *row, const int *col, const float *w, unsigned long long *dp, const int *frontier, int n,
                     int *next, int *nextCount, unsigned *inNext) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int u = frontier[i];
    float du = __uint_as_float((unsigned)(*(volatile unsigned long long *)&dp[u] >> 32));
    for (int e = row[u]; e < row[u + 1]; e++) {
        int v = col[e];
        if (relax(dp, v, du + w[e], u) && !(atomicOr(&inNext[v >> 5], 1u << (v & 31)) >> (v & 31) & 1))
            next[atomicAdd(nextCount, 1)] = v;
    }
}
