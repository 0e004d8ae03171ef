// Elimination back-off stack (Hendler, Shavit, Yerushalmi): try the stack, then an exchanger slot for a bounded number of looks.
typedef unsigned long long u64;
#define SLOTS 16
#define LOOKS 32
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ void push(u64 *top, unsigned *next, u64 *slots, unsigned me) {
    while (true) {
        u64 old = ld(top);
        next[me] = (unsigned)old;
        __threadfence();
        if (atomicCAS(top, old, ((old >> 32) + 1) << 32 | me) == old) return;
        u64 *slot = &slots[clock() % SLOTS];
        if (atomicCAS(slot, 0ull, (u64)me) != 0) continue;
        for (int look = 0; look < LOOKS; ++look)
            if (ld(slot) != me) return;
        if (atomicCAS(slot, (u64)me, 0ull) != me) return;       // taken at the last moment
    }
}
__device__ unsigned pop(u64 *top, unsigned *next, u64 *slots) {
    while (true) {
        u64 old = ld(top);
        if ((unsigned)old == 0) return 0;
        if (atomicCAS(top, old, ((old >> 32) + 1) << 32 | *(volatile unsigned *)&next[(unsigned)old]) == old) return (unsigned)old;
        u64 *slot = &slots[clock() % SLOTS], other = ld(slot);
        if (other != 0 && atomicCAS(slot, other, 0ull) == other) return (unsigned)other;
    }
}
// assumed: k
extern "C" __global__ void k(u64 *top, unsigned *next, u64 *slots, unsigned *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    push(top, next, slots, i + 1);
    out[i] = pop(top, next, slots);
}
