// Two-word CAS with status word and helping (CASN of Harris et al. in the simple form of Wang, Levandoski, Larson: install by CAS, decide, detach).
typedef unsigned long long u64;
struct Desc { unsigned status; unsigned addr[2]; u64 old[2], fresh[2]; };   // 0 undecided, 1 failed, 2 succeeded
#define MARK (1ull << 63)
__device__ __forceinline__ u64 ld(u64 *p) { return *(volatile u64 *)p; }
__device__ void finish(Desc *x, u64 *mem, u64 d) {
    unsigned ok = *(volatile unsigned *)&x->status;
    for (int i = 0; i < 2; ++i) atomicCAS(&mem[x->addr[i]], d, ok == 2 ? x->fresh[i] : x->old[i]);
}
__device__ bool casn(Desc *pool, u64 *mem, unsigned me) {
    Desc *x = pool + me;
    u64 d = MARK | me;
    unsigned decided = 2;
    for (int i = 0; i < 2 && decided == 2; ++i) {
        while (true) {
            u64 seen = atomicCAS(&mem[x->addr[i]], x->old[i], d);
            if (seen == x->old[i] || seen == d) break;
            if (!(seen & MARK)) { decided = 1; break; }
            Desc *other = pool + (seen & ~MARK);       // abort who is undecided and in the way
            atomicCAS(&other->status, 0u, 1u);
            finish(other, mem, seen);
        }
    }
    atomicCAS(&x->status, 0u, decided);
    finish(x, mem, d);
    return *(volatile unsigned *)&x->status == 2;
}
// assumed: k
extern "C" __global__ void k(Desc *pool, u64 *mem, const uint2 *pairs, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = min(pairs[i].x, pairs[i].y), b = max(pairs[i].x, pairs[i].y);
    u64 va = ld(&mem[a]), vb = ld(&mem[b]);
    if (((va | vb) & MARK) || a == b) { out[i] = -1; return; }
    pool[i] = {0, {a, b}, {va, vb}, {va + 1, vb + 1}};
    __threadfence();
    out[i] = casn(pool, mem, i);
}
