// k-buffer: K smallest of 64-bit fragments kept sorted by a chain of atomicMin (Maule et al., Freepipe style insertion).
typedef unsigned long long u64;
#define K 8
__device__ void insert(u64 *slots, u64 mine) {
    for (int j = 0; j < K && mine != ~0ull; ++j) {
        u64 seen = atomicMin(&slots[j], mine);
        if (seen > mine) mine = seen;   // we displaced it, carry it on
    }
}
__device__ void replace_worst(u64 *heap, u64 mine) {   // unordered: replace the worst while better
    while (true) {
        int worst = 0;
        u64 w = *(volatile u64 *)&heap[0];
        for (int j = 1; j < K; ++j) { u64 x = *(volatile u64 *)&heap[j]; if (x > w) { w = x; worst = j; } }
        if (mine >= w) return;
        if (atomicCAS(&heap[worst], w, mine) == w) return;
    }
}
// nothing: k
extern "C" __global__ void k(const float *depth, const unsigned *pixel, u64 *sorted, u64 *loose, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 f = (u64)__float_as_uint(depth[i]) << 32 | i;
    insert(sorted + pixel[i] * K, f);
    replace_worst(loose + pixel[i] * K, f);
}
