// Graph traversal, relaxations, independent sets, colouring, list ranking.
#include <cuda/atomic>
#include <cstdint>

struct Csr { int n; const int* row; const int* col; const float* w; };

// nothing: bfs_expand
// level-synchronous BFS: vertex claimed by CAS on its level, pushed with atomicAdd (Merrill et al. 2012, simplified)
extern "C" __global__ void bfs_expand(Csr g, const int* front, int nFront, int* level, int depth, int* next, int* nNext)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nFront; i += gridDim.x * blockDim.x) {
        int u = front[i];
        for (int e = g.row[u]; e < g.row[u + 1]; ++e) {
            int v = g.col[e];
            if (level[v] == -1 && atomicCAS(&level[v], -1, depth + 1) == -1) next[atomicAdd(nNext, 1)] = v;
        }
    }
}

__device__ bool relaxMin(float* addr, float val)
{
    int* ia = (int*)addr;
    int old = *(volatile int*)ia;
    while (__int_as_float(old) > val) {
        int assumed = old;
        old = atomicCAS(ia, assumed, __float_as_int(val));
        if (old == assumed) return true;
    }
    return false;
}

// nothing: delta_relax
// delta-stepping: light edges of the current bucket relaxed by CAS on float distances (Meyer & Sanders; Davidson et al. 2014)
extern "C" __global__ void delta_relax(Csr g, float* dist, const int* bucket, int nb, float delta, int cur, int* nearQ, int* nNear, int* farQ, int* nFar)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nb) return;
    int u = bucket[i];
    float du = *(volatile float*)&dist[u];
    for (int e = g.row[u]; e < g.row[u + 1]; ++e) {
        float nd = du + g.w[e];
        if (!relaxMin(&dist[g.col[e]], nd)) continue;
        if (nd < delta * (cur + 1)) nearQ[atomicAdd(nNear, 1)] = g.col[e];
        else                        farQ[atomicAdd(nFar, 1)]  = g.col[e];
    }
}

// nothing: sssp_worklist
// data-driven SSSP: items drawn by atomicAdd from the input list, pushes to the output list guarded by a stamp CAS (LonestarGPU style)
extern "C" __global__ void sssp_worklist(Csr g, unsigned* dist, const int* in, int nIn, int* cursor, int* out, int* nOut, int* stamp, int round)
{
    int i;
    while ((i = atomicAdd(cursor, 1)) < nIn) {
        int u = in[i];
        unsigned du = *(volatile unsigned*)&dist[u];
        for (int e = g.row[u]; e < g.row[u + 1]; ++e) {
            int v = g.col[e];
            unsigned nd = du + (unsigned)g.w[e];
            if (atomicMin(&dist[v], nd) <= nd) continue;
            int s = *(volatile int*)&stamp[v];
            if (s != round && atomicCAS(&stamp[v], s, round) == s) out[atomicAdd(nOut, 1)] = v;
        }
    }
}

// nothing: mis_luby_round
// maximal independent set, one round of priorities; undecided vertices are left to the next launch (Luby 1986)
extern "C" __global__ void mis_luby_round(Csr g, const unsigned* prio, int* state, int* undecided)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n || *(volatile int*)&state[v] != 0) return;
    bool best = true;
    for (int e = g.row[v]; e < g.row[v + 1] && best; ++e) {
        int u = g.col[e];
        if (*(volatile int*)&state[u] == 2) continue;
        best = prio[u] < prio[v] || (prio[u] == prio[v] && u <= v);
    }
    if (best && atomicCAS(&state[v], 0, 1) == 0) {
        for (int e = g.row[v]; e < g.row[v + 1]; ++e)
            if (g.col[e] != v) atomicCAS(&state[g.col[e]], 0, 2);
    } else if (*(volatile int*)&state[v] == 0) atomicAdd(undecided, 1);
}

// nothing: color_speculate
// speculative greedy colouring, then conflict check; conflicting vertices queued for the next round (Gebremedhin & Manne 2000)
extern "C" __global__ void color_speculate(Csr g, const int* todo, int nTodo, volatile int* color, int* redo, int* nRedo, int phase)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nTodo) return;
    int v = todo[i];
    if (phase == 0) {
        for (int base = 0;; base += 64) {
            unsigned long long used = 0;
            for (int e = g.row[v]; e < g.row[v + 1]; ++e) {
                int c = color[g.col[e]] - base;
                if (c >= 0 && c < 64 && g.col[e] != v) used |= 1ull << c;
            }
            if (~used) { color[v] = base + __ffsll(~used) - 1; break; }
        }
    } else {
        for (int e = g.row[v]; e < g.row[v + 1]; ++e)
            if (g.col[e] < v && color[g.col[e]] == color[v]) { redo[atomicAdd(nRedo, 1)] = v; break; }
    }
}

// nothing: listrank_mate
// list ranking by random mating: tail-coin nodes splice out their head-coin successor (Miller & Reif; Anderson & Miller)
extern "C" __global__ void listrank_mate(int* succ, int* len, int2* removed, int* nRemoved, int* alive, int n, unsigned seed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !alive[v]) return;
    auto coin = [seed](int x) { return (((unsigned)x * 2654435761u ^ seed) * 0x85ebca6bu) >> 31; };
    int s = succ[v];
    if (s < 0 || coin(v) != 0 || coin(s) != 1) return;   // s is nobody else's successor: no conflict
    removed[atomicAdd(nRemoved, 1)] = make_int2(s, v);
    alive[s] = 0;
    len[v] += len[s];
    succ[v] = succ[s];
}

// nothing: pointer_jump
// Wyllie's pointer jumping, successor and rank packed in a 64-bit word, asynchronous; word replaced by CAS
extern "C" __global__ void pointer_jump(unsigned long long* nodes, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> me(nodes[v]);
    unsigned long long w = me.load();
    while ((uint32_t)(w >> 32) != 0xffffffffu) {          // nil successor: finished
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> nx(nodes[w >> 32]);
        unsigned long long t = nx.load();
        unsigned long long sum = (t & 0xffffffff00000000ull) | (uint32_t)((uint32_t)w + (uint32_t)t);
        if (me.compare_exchange_strong(w, sum)) w = sum;
    }
}

// nothing: mis_async_spin
// ECL-MIS style asynchronous MIS: a thread keeps polling its vertices until better neighbours have been decided by others
extern "C" __global__ void mis_async_spin(Csr g, const unsigned* prio, volatile unsigned char* state)
{
    int from = blockIdx.x * blockDim.x + threadIdx.x, incr = gridDim.x * blockDim.x;
    bool missing;
    do {
        missing = false;
        for (int v = from; v < g.n; v += incr) {
            if (state[v] != 0) continue;
            int e = g.row[v];
            while (e < g.row[v + 1]) {
                int u = g.col[e];
                if (state[u] != 2 && (prio[u] > prio[v] || (prio[u] == prio[v] && u > v))) break;
                ++e;
            }
            if (e < g.row[v + 1]) { missing = true; continue; }
            for (e = g.row[v]; e < g.row[v + 1]; ++e) state[g.col[e]] = 2;
            state[v] = 1;
        }
    } while (missing);
}

// nothing: bfs_persistent_barrier
// one-launch BFS with a hand-made grid barrier between levels (Xiao & Feng 2010): blocks wait for each other
extern "C" __global__ void bfs_persistent_barrier(Csr g, int* level, int* frontSize, volatile unsigned* arrived, int maxDepth)
{
    for (int d = 0; d < maxDepth; ++d) {
        for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < g.n; v += gridDim.x * blockDim.x) {
            if (((volatile int*)level)[v] != d) continue;
            for (int e = g.row[v]; e < g.row[v + 1]; ++e)
                if (atomicCAS(&level[g.col[e]], -1, d + 1) == -1) atomicAdd(&frontSize[d + 1], 1);
        }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd((unsigned*)arrived, 1u);
            while (*arrived < (unsigned)(d + 1) * gridDim.x) { }
        }
        __syncthreads();
        if (((volatile int*)frontSize)[d + 1] == 0) return;
    }
}
