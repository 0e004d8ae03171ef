// Lazily made object: everyone makes one, the first to publish wins, the others give theirs back to a free list; two-level page table on top.
typedef unsigned long long u64;
struct Page { float v[64]; };
__device__ int take(int *stack, int *top) {
    int t = *(volatile int *)top;
    while (t > 0) {
        int seen = atomicCAS(top, t, t - 1);
        if (seen == t) return stack[t - 1];
        t = seen;
    }
    return -1;
}
// nothing: k
extern "C" __global__ void k(int *table, Page *pages, int *stack, int *top, int *waste, const int *at, const float *v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int *entry = &table[at[i] >> 6], p = *(volatile int *)entry;
        if (p < 0) {
            int mine = take(stack, top);
            if (mine < 0) continue;
            p = atomicCAS(entry, -1, mine);
            if (p < 0) p = mine; else waste[i] = mine;
        }
        atomicAdd(&pages[p].v[at[i] & 63], v[i]);
    }
}
