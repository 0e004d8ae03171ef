// SNZI (Ellen, Lev, Luchangco, Moir 2007): counter in halves, version; root at index 1
// node word: version << 32 | 2 * count (1 is one half)
//
// still found: _Z5visitPKiPii
typedef unsigned long long u64;
__device__ u64 g_tree[64];
__device__ __forceinline__ u64 rd(int i) { return *(volatile u64 *)&g_tree[i]; }
__device__ void rootArrive() { atomicAdd(&g_tree[1], 1ull); }
__device__ void rootDepart() { atomicAdd(&g_tree[1], ~0ull); }
template <int D> struct Level {
    __device__ static void arrive(int node) {
        bool done = false; int undo = 0;
        while (!done) {
            u64 x = rd(node); unsigned c = (unsigned)x;
            if (c >= 2) { if (atomicCAS(&g_tree[node], x, x + 2) == x) done = true; }
            if (c == 0) {
                u64 half = ((x >> 32) + 1) << 32 | 1;
                if (atomicCAS(&g_tree[node], x, half) == x) { done = true; x = half; c = 1; }
            }
            if (c == 1) {
                Level<D - 1>::arrive(node >> 1);
                if (atomicCAS(&g_tree[node], x, (x >> 32) << 32 | 2) != x) undo++;
            }
        }
        while (undo > 0) { Level<D - 1>::depart(node >> 1); undo--; }
    }
    __device__ static void depart(int node) {
        while (true) {
            u64 x = rd(node);
            if (atomicCAS(&g_tree[node], x, x - 2) == x) { if ((unsigned)x == 2) Level<D - 1>::depart(node >> 1); return; }
        }
    }
};
template <> struct Level<0> {
    __device__ static void arrive(int) { rootArrive(); }
    __device__ static void depart(int) { rootDepart(); }
};
__global__ void visit(const int *work, int *busy, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int leaf = 4 + (t & 3);
    Level<2>::arrive(leaf);
    atomicAdd(busy, work[t] * (rd(1) != 0));
    Level<2>::depart(leaf);
}
