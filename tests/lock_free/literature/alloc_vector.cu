// Allocators and growing arrays without locks.
#include <cuda/atomic>
#include <cstdint>

using u64 = unsigned long long;
template <class T> using dev_atomic = cuda::atomic<T, cuda::thread_scope_device>;
template <class T> using dev_ref    = cuda::atomic_ref<T, cuda::thread_scope_device>;

struct Arena { char* base; unsigned* used; unsigned capacity; };

// nothing: arena_bump
// bump allocator: CAS instead of add so that a request that does not fit leaves the mark alone
extern "C" __global__ void arena_bump(Arena a, const unsigned* bytes, int n, void** out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned need = (bytes[i] + 15u) & ~15u;
        unsigned at = *(volatile unsigned*)a.used;
        void* got = nullptr;
        while (at <= a.capacity && a.capacity - at >= need) {
            unsigned seen = atomicCAS(a.used, at, at + need);
            if (seen == at) { got = a.base + at; break; }
            at = seen;
        }
        out[i] = got;
    }
}

class FreeList {                       // Treiber 1986 with a version tag; index 0 is nil
public:
    dev_atomic<u64> head;              // tag << 32 | index
    unsigned*       next;

    __device__ unsigned pop()
    {
        u64 h = head.load(cuda::memory_order_acquire);
        while ((unsigned)h != 0u) {
            unsigned nx = dev_ref<unsigned>(next[(unsigned)h]).load(cuda::memory_order_relaxed);
            u64 nh = ((h >> 32) + 1) << 32 | nx;
            if (head.compare_exchange_weak(h, nh, cuda::memory_order_acq_rel, cuda::memory_order_acquire)) return (unsigned)h;
        }
        return 0u;
    }
    __device__ void push(unsigned b)
    {
        u64 h = head.load(cuda::memory_order_relaxed);
        do {
            dev_ref<unsigned>(next[b]).store((unsigned)h, cuda::memory_order_relaxed);
        } while (!head.compare_exchange_weak(h, ((h >> 32) + 1) << 32 | b, cuda::memory_order_release, cuda::memory_order_relaxed));
    }
};

// nothing: block_pool_churn
// fixed-size block pool: pop, use, push back several times; tagged Treiber stack with cuda::atomic
extern "C" __global__ void block_pool_churn(FreeList* fl, int rounds, float* blocks, int* misses, float* sink)
{
    float acc = 0.f;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r) {
        unsigned b = fl->pop();
        if (b == 0u) { atomicAdd(misses, 1); continue; }
        for (int j = 0; j < 8; ++j) blocks[b * 8 + j] = t + j;
        acc += blocks[b * 8 + (r & 7)];
        fl->push(b);
    }
    sink[t] = acc;
}

// nothing: chunk_alloc
// size-class chunks: current chunk and fill in one word, new chunk put in place by CAS when full (after Hoard/XMalloc, lock-free)
extern "C" __global__ void chunk_alloc(u64* current, unsigned* nextChunk, unsigned nChunks, unsigned perChunk, const unsigned char* cls, int n, unsigned* where)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    dev_ref<u64> cur(current[cls[i]]);
    u64 w = cur.load();                // chunk << 32 | objects handed out
    unsigned res = 0xffffffffu, spare = 0xffffffffu;
    while (true) {
        unsigned fill = (unsigned)w;
        if (fill < perChunk) {
            if (cur.compare_exchange_strong(w, w + 1)) { res = (unsigned)(w >> 32) * perChunk + fill; break; }
            continue;
        }
        if (spare == 0xffffffffu) {
            spare = atomicAdd(nextChunk, 1u);
            if (spare >= nChunks) break;                 // out of memory
        }
        if (cur.compare_exchange_strong(w, (u64)spare << 32 | 1u)) { res = spare * perChunk; break; }
    }
    where[i] = res;                    // a spare that was not used is leaked
}

// nothing: bitmap_alloc
// page bitmaps with hashed start, bit claimed by atomicOr (ScatterAlloc, Steinberger et al. 2012); bounded search
extern "C" __global__ void bitmap_alloc(unsigned* map, unsigned nWords, int perThread, int* slots)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < perThread; ++r) {
        unsigned w = (t * 38183u + r * 9973u + blockIdx.x * 17497u) % nWords;
        int got = -1;
        for (unsigned k = 0; k < nWords && got < 0; ++k) {
            unsigned cur = *(volatile unsigned*)&map[w];
            while (~cur) {
                unsigned rot = (t + r) & 31u;
                unsigned freeBits = __funnelshift_r(~cur, ~cur, rot);
                unsigned bit = (__ffs(freeBits) - 1 + rot) & 31u;
                cur = atomicOr(&map[w], 1u << bit);
                if (!(cur >> bit & 1u)) { got = (int)(w * 32 + bit); break; }
            }
            if (++w == nWords) w = 0;
        }
        slots[t * perThread + r] = got;
    }
}

// nothing: bitmap_free
// release of the slots above: atomicAnd, double frees counted
extern "C" __global__ void bitmap_free(unsigned* map, const int* slots, int n, int* doubleFrees)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || slots[i] < 0) return;
    unsigned m = 1u << (slots[i] & 31);
    if (!(atomicAnd(&map[slots[i] >> 5], ~m) & m)) atomicAdd(doubleFrees, 1);
}

struct DVec {                          // two-level array, level b holds 64 << b elements (Dechev, Pirkelbauer, Stroustrup 2006)
    float**   level;                   // 20 pointers, null at first
    float*    heap;
    u64*      heapTop;
    u64       heapSize;
    unsigned* size;
};

__device__ static inline void splitIndex(unsigned i, int& b, unsigned& off)
{
    unsigned p = i + 64u;
    int hi = 31 - __clz(p);
    b = hi - 6;
    off = p ^ (1u << hi);
}

// nothing: dvec_push_back
// vector with CAS-grown capacity: any thread that misses a level allocates one and tries to install it
extern "C" __global__ void dvec_push_back(DVec v, const float* x, int n, float limit, int* failed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (x[i] > limit) continue;
        unsigned off, at = atomicAdd(v.size, 1u);
        int b;
        splitIndex(at, b, off);
        float* base = *(float* volatile*)&v.level[b];
        if (base == nullptr) {
            u64 want = 64ull << b, from = atomicAdd(v.heapTop, want);
            if (from + want <= v.heapSize) {
                u64 old = atomicCAS((u64*)&v.level[b], 0ull, (u64)(v.heap + from));
                base = old ? (float*)old : v.heap + from;
            } else base = *(float* volatile*)&v.level[b];     // perhaps somebody had more luck
        }
        if (base) base[off] = x[i]; else atomicAdd(failed, 1);
    }
}

// nothing: capacity_reserve
// plain capacity word raised to the next power of two by CAS-max before the launch that fills the array
extern "C" __global__ void capacity_reserve(unsigned* capacity, const unsigned* need, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned want = need[i] <= 1 ? 1u : 1u << (32 - __clz(need[i] - 1));
    unsigned c = dev_ref<unsigned>(*capacity).load(cuda::memory_order_relaxed);
    while (c < want && !dev_ref<unsigned>(*capacity).compare_exchange_weak(c, want, cuda::memory_order_relaxed)) { }
}

// found: dvec_push_wait_grow
// the same vector, but only the thread with the first index of a level allocates it; the others poll the pointer
extern "C" __global__ void dvec_push_wait_grow(DVec v, const float* x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned off, at = atomicAdd(v.size, 1u);
        int b;
        splitIndex(at, b, off);
        if (off == 0) {
            u64 from = atomicAdd(v.heapTop, 64ull << b);
            __threadfence();
            *(float* volatile*)&v.level[b] = v.heap + from;
        }
        float* base;
        while ((base = *(float* volatile*)&v.level[b]) == nullptr) __threadfence();
        base[off] = x[i];
    }
}
