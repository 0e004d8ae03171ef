// Lock-free allocators.
#include <cuda/atomic>
typedef unsigned long long u64;

// ---- fixed-size blocks, free list threaded through the blocks ---------------
struct Pool {
    u64 head;                    // version:32 | block+1:32
    unsigned block_words;
    unsigned *mem;               // word 0 of a free block = successor + 1
};

__device__ static unsigned *pool_get(Pool *p)
{
    u64 old = atomicAdd(&p->head, 0ull), assumed;
    do {
        assumed = old;
        unsigned b = (unsigned)assumed;
        if (b == 0) return nullptr;
        unsigned nx = *(volatile unsigned *)(p->mem + (size_t)(b - 1) * p->block_words);
        old = atomicCAS(&p->head, assumed, (((assumed >> 32) + 1) << 32) | nx);
    } while (old != assumed);
    return p->mem + (size_t)((unsigned)assumed - 1) * p->block_words;
}
__device__ static void pool_put(Pool *p, unsigned *blk)
{
    unsigned b = (unsigned)((blk - p->mem) / p->block_words) + 1;
    u64 old = atomicAdd(&p->head, 0ull), assumed;
    do {
        assumed = old;
        *(volatile unsigned *)blk = (unsigned)assumed;
        __threadfence();
        old = atomicCAS(&p->head, assumed, (((assumed >> 32) + 1) << 32) | b);
    } while (old != assumed);
}

// nothing: freelist_get_put
// versioned free list of fixed blocks (Treiber / IBM System 370 free-list), null when exhausted
extern "C" __global__ void freelist_get_put(Pool *p, int *fails, int rounds)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *held[4] = { nullptr, nullptr, nullptr, nullptr };
    int bad = 0;
    for (int r = 0; r < rounds; ++r) {
        unsigned *&h = held[r & 3];
        if (h) pool_put(p, h);
        h = pool_get(p);
        if (h) h[1] = tid; else ++bad;
    }
    for (int i = 0; i < 4; ++i) if (held[i]) pool_put(p, held[i]);
    fails[tid] = bad;
}

// nothing: bump_cas_limit
// bump allocator: the top moves by CAS and never past the limit
extern "C" __global__ void bump_cas_limit(u64 *top, u64 limit, const unsigned *size, u64 *addr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 need = (size[i] + 15u) & ~15u, cur = *(volatile u64 *)top;
    addr[i] = ~0ull;
    while (cur + need <= limit) {
        u64 prev = atomicCAS(top, cur, cur + need);
        if (prev == cur) { addr[i] = cur; break; }
        cur = prev;
    }
}

// nothing: bitmap_claim_words
// bitmap allocator: find a zero bit, claim it with atomicOr, another bit if it was taken already
extern "C" __global__ void bitmap_claim_words(unsigned *bits, int words, int *slot_out, int per_thread)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per_thread; ++k) {
        int got = -1;
        for (int probe = 0; probe < words && got < 0; ++probe) {
            int w = (tid + probe) % words;
            unsigned v = *(volatile unsigned *)&bits[w];
            while (v != 0xffffffffu) {
                unsigned bit = __ffs(~v) - 1;
                unsigned before = atomicOr(&bits[w], 1u << bit);
                if (!(before >> bit & 1u)) { got = w * 32 + bit; break; }
                v = before;
            }
        }
        slot_out[tid * per_thread + k] = got;
        if (got >= 0 && (k & 1)) atomicAnd(&bits[got >> 5], ~(1u << (got & 31)));
    }
}

struct TwoLevel {
    using Word = cuda::atomic<unsigned, cuda::thread_scope_device>;
    Word *summary;      // bit set: leaf word is (believed) full
    Word *leaf;
    int nsum;

    __device__ int claim(unsigned hint)
    {
        for (int i = 0; i < nsum; ++i) {
            int sw = (hint + i) % nsum;
            unsigned avail;
            while ((avail = ~summary[sw].load(cuda::memory_order_acquire)) != 0) {
                int lw = sw * 32 + (__ffs(avail) - 1);
                unsigned v = leaf[lw].load(cuda::memory_order_relaxed);
                while (v != ~0u) {
                    unsigned m = ~v & (v + 1);
                    v = leaf[lw].fetch_or(m, cuda::memory_order_acq_rel);
                    if (!(v & m)) return lw * 32 + (31 - __clz(m));
                }
                summary[sw].fetch_or(1u << (lw & 31), cuda::memory_order_acq_rel);
            }
        }
        return -1;
    }
    __device__ void release(int s)
    {
        leaf[s >> 5].fetch_and(~(1u << (s & 31)), cuda::memory_order_acq_rel);
        summary[s >> 10].fetch_and(~(1u << (s >> 5 & 31)), cuda::memory_order_acq_rel);
    }
};

// nothing: bitmap_two_level
// hierarchical bitmap allocator with summary words as hints, cuda::atomic (ScatterAlloc-like page map)
extern "C" __global__ void bitmap_two_level(TwoLevel t, int *got, int rounds)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x, last = -1;
    for (int r = 0; r < rounds; ++r) {
        int s = t.claim(tid + r);
        if (last >= 0) t.release(last);
        last = s;
    }
    got[tid] = last;
}

// ---- size classes: own free list, then the arena, then a larger class --------
__device__ u64 sc_head[8];               // version:32 | offset/16 + 1
__device__ unsigned sc_arena_used;       // units of 16 bytes

// nothing: sizeclass_alloc
// size-class allocator: free list, then bump with limit, then larger classes (after Michael PLDI 2004, simplified)
extern "C" __global__ void sizeclass_alloc(uint4 *arena, unsigned units, const unsigned *bytes, unsigned *out, int ops)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < ops; ++i) {
        int c = 0;
        while (c < 7 && (16u << c) < bytes[tid * ops + i]) ++c;
        unsigned where = 0;                                   // 0 = none
        for (int k = c; k < 8 && !where; ++k) {
            u64 h = *(volatile u64 *)&sc_head[k];
            while ((unsigned)h) {
                unsigned nx = *(volatile unsigned *)&arena[(unsigned)h - 1].x;
                u64 r = atomicCAS(&sc_head[k], h, (((h >> 32) + 1) << 32) | nx);
                if (r == h) { where = (unsigned)h; break; }
                h = r;
            }
            if (!where && k == c) {
                unsigned u = *(volatile unsigned *)&sc_arena_used, r;
                for (; u + (1u << c) <= units; u = r) {
                    r = atomicCAS(&sc_arena_used, u, u + (1u << c));
                    if (r == u) { where = u + 1; break; }
                }
            }
        }
        out[tid * ops + i] = where;
        if (where && (i & 1)) {                               // give every second one back
            u64 h, r = *(volatile u64 *)&sc_head[c];
            do {
                h = r;
                *(volatile unsigned *)&arena[where - 1].x = (unsigned)h;
                __threadfence();
                r = atomicCAS(&sc_head[c], h, (((h >> 32) + 1) << 32) | where);
            } while (r != h);
        }
    }
}

// found: freelist_wait_nonempty
// the same pool, but the caller does not take "exhausted" for an answer and waits for a free
extern "C" __global__ void freelist_wait_nonempty(Pool *p, unsigned *out)
{
    unsigned tid = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *b;
    while ((b = pool_get(p)) == nullptr) { }
    b[1] = tid;
    out[tid] = b[1] + b[2];
    pool_put(p, b);
}
