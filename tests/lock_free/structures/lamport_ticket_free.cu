// Hybrid logical clock (advance past what was seen) and monotone id blocks cached per thread.
typedef unsigned long long u64;
__device__ u64 tick(u64 *clk, u64 physical, u64 seen) {
    u64 now = *(volatile u64 *)clk;
    while (true) {
        u64 next = max(max(physical << 16, seen + 1), now + 1);
        u64 was = atomicCAS(clk, now, next);
        if (was == now) return next;
        now = was;
    }
}
__device__ unsigned next_id(u64 *block, unsigned *global) {
    for (;;) {
        u64 b = atomicAdd(block, 1ull);
        if ((unsigned)b < (unsigned)(b >> 32)) return (unsigned)b;
        unsigned base = atomicAdd(global, 64);
        u64 now = *(volatile u64 *)block;
        if ((unsigned)now >= (unsigned)(now >> 32)) atomicCAS(block, now, (u64)(base + 64) << 32 | base);
    }
}
// nothing: k
extern "C" __global__ void k(u64 *clk, u64 *blocks, unsigned *global, const u64 *msg, u64 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = tick(clk, clock64(), msg[i]) ^ next_id(&blocks[i & 31], global);
}
