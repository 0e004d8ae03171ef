// Work stealing of half the range (Tzeng, Patney, Owens style): range [lo, hi) packed in 64 bits.
typedef unsigned long long u64;
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ bool next(u64 *range, unsigned *i) {
    u64 r = ld(range), seen;
    do {
        unsigned lo = (unsigned)r, hi = (unsigned)(r >> 32);
        if (lo >= hi) return false;
        *i = lo;
        seen = r;
        r = atomicCAS(range, seen, seen + 1);
    } while (r != seen);
    return true;
}
__device__ bool steal(u64 *victim, u64 *mine) {
    for (;;) {
        u64 r = ld(victim);
        unsigned lo = (unsigned)r, hi = (unsigned)(r >> 32);
        if (hi <= lo + 1) return false;
        unsigned mid = lo + (hi - lo) / 2;
        if (atomicCAS(victim, r, (u64)mid << 32 | lo) == r) {
            atomicExch(mine, (u64)hi << 32 | mid);
            return true;
        }
    }
}
// assumed: k
extern "C" __global__ void k(u64 *ranges, int workers, float *data) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= workers) return;
    unsigned i;
    for (int attempts = 0; attempts < workers;) {
        if (next(&ranges[me], &i)) { data[i] = sqrtf(data[i]); continue; }
        if (!steal(&ranges[(me + attempts) % workers], &ranges[me])) ++attempts;
    }
}
